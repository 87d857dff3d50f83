// SPDX-License-Identifier: Apache-2.0
// Ten hashes of the 5-tuple (scenario 4 of Izolan, 2023).
//
// Each digest becomes the source address that the next one hashes: a compiler removes a digest that
// nobody uses, and the DPDK backend of p4c 1.2.3.7 then refuses the call that stays behind.
//
// The backend of the study had no hashes at all, so it wrote them as .spec. Later ones have CRC32
// by this extern and copy the fields into metadata, for the instruction hashes neighbouring fields
// of one struct only. A backend without it says so: then the generated .spec is all there is.

#include <core.p4>
#include <psa.p4>
#include "../common/headers.p4"

struct metadata_t {
    bit<32> hash;
}

control MyIngress(inout headers_t headers, inout metadata_t meta,
                  in psa_ingress_input_metadata_t istd,
                  inout psa_ingress_output_metadata_t ostd) {
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) digest;

    apply {
        send_to_port(ostd, (PortId_t)0);
        TEN_TIMES(
            meta.hash = digest.get_hash({ headers.ipv4.src_addr, headers.ipv4.dst_addr,
                                          headers.ipv4.protocol, headers.udp.src_port,
                                          headers.udp.dst_port });
            headers.ipv4.src_addr = meta.hash;
        )
    }
}

#include "../common/pipeline.p4"
