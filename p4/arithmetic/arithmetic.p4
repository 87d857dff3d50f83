// SPDX-License-Identifier: Apache-2.0
// Ten of each operator on the TTL (scenario 5 of Izolan, 2023).
//
// SWX adds, subtracts, shifts, and masks; it has no instruction that multiplies, divides or takes a
// remainder. So * 2 and / 2 become the shifts by one, % 128 the mask 0x7F, and cost what these cost;
// by a constant that is no power of two, or by a field, the program would not compile at all. p4c
// writes a difference with a constant as the sum with its complement: ten additions more, and no
// subtraction.

#include <core.p4>
#include <psa.p4>
#include "../common/headers.p4"

struct metadata_t {
}

control MyIngress(inout headers_t headers, inout metadata_t meta,
                  in psa_ingress_input_metadata_t istd,
                  inout psa_ingress_output_metadata_t ostd) {
    apply {
        send_to_port(ostd, (PortId_t)0);
        TEN_TIMES(
            headers.ipv4.ttl = headers.ipv4.ttl + 3;
            headers.ipv4.ttl = headers.ipv4.ttl - 3;
            headers.ipv4.ttl = headers.ipv4.ttl % 128;
            headers.ipv4.ttl = headers.ipv4.ttl << 1;
            headers.ipv4.ttl = headers.ipv4.ttl >> 1;
            headers.ipv4.ttl = headers.ipv4.ttl * 2;
            headers.ipv4.ttl = headers.ipv4.ttl / 2;
        )
    }
}

#include "../common/pipeline.p4"
