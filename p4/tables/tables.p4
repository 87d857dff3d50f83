// SPDX-License-Identifier: Apache-2.0
// Three tables in sequence, one of each match kind; an action copies 32 bits of the entry to
// metadata (scenario 3 of Izolan, 2023). All of it the DPDK backend can; DPDK 22.11 runs the LPM
// table as one of wildcards whose priority is the length of the prefix.

#include <core.p4>
#include <psa.p4>
#include "../common/headers.p4"

struct metadata_t {
    bit<32> copied;
}

control MyIngress(inout headers_t headers, inout metadata_t meta,
                  in psa_ingress_input_metadata_t istd,
                  inout psa_ingress_output_metadata_t ostd) {
    action copy(bit<32> value) {
        meta.copied = value;
    }

    table table_exact_0 {
        key = { headers.ipv4.dst_addr : exact; }
        actions = { copy; }
        const default_action = copy(0);
        size = 1024;
    }

    table table_lpm_0 {
        key = { headers.ipv4.dst_addr : lpm; }
        actions = { copy; }
        const default_action = copy(0);
        size = 1024;
    }

    table table_wildcard_0 {
        key = { headers.ipv4.dst_addr : ternary; }
        actions = { copy; }
        const default_action = copy(0);
        size = 1024;
    }

    apply {
        send_to_port(ostd, (PortId_t)0);
        table_exact_0.apply();
        table_lpm_0.apply();
        table_wildcard_0.apply();
        headers.ethernet.dst_addr = (bit<48>)meta.copied;
    }
}

#include "../common/pipeline.p4"
