// SPDX-License-Identifier: Apache-2.0
// Ten reads and ten writes of a register of 32 bits, in turn (scenario 1 of Izolan, 2023).
//
// Each write stores what the read before it returned: a compiler removes a read whose result nobody
// uses. The last result leaves in the packet.
//
// The DPDK backend makes one regrd or regwr of each. Its registers have 64 bits whatever the type
// says here: the width is that of the field that is read into. Another width or number is another
// program: change VALUE_BITS, the field at the end, or what is repeated.

#include <core.p4>
#include <psa.p4>
#include "../common/headers.p4"

#define VALUE_BITS 32

struct metadata_t {
    bit<32> index;
    bit<VALUE_BITS> value;
}

control MyIngress(inout headers_t headers, inout metadata_t meta,
                  in psa_ingress_input_metadata_t istd,
                  inout psa_ingress_output_metadata_t ostd) {
    Register<bit<VALUE_BITS>, bit<32>>(1024) values;

    apply {
        send_to_port(ostd, (PortId_t)0);
        meta.index = (bit<32>)headers.udp.src_port;
        TEN_TIMES(
            meta.value = values.read(meta.index);
            values.write(meta.index, meta.value);
        )
        headers.ipv4.src_addr = meta.value;
    }
}

#include "../common/pipeline.p4"
