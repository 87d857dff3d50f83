// SPDX-License-Identifier: Apache-2.0
// Forwarding by layer 2 and 3: IPv4 by the longest prefix, everything else by the station.
// Base program of Izolan (2023). Nothing here is beyond the DPDK backend.

#include <core.p4>
#include <psa.p4>
#include "../common/headers.p4"

struct metadata_t {
    bit<32> sum;
    bit<32> carry;
}

control MyIngress(inout headers_t headers, inout metadata_t meta,
                  in psa_ingress_input_metadata_t istd,
                  inout psa_ingress_output_metadata_t ostd) {
    // The TTL is the upper byte of a word of the checksum: the sum grows by what the word lost,
    // and by the carry (RFC 1624, 3). The backend of the study had no checksum externs.
    // p4c 1.2.3.7 compiles it wrongly: ../README.md says how, and why the pipeline that is shipped
    // is the generated one.
    action route(bit<48> dst_addr, bit<48> src_addr, PortId_t port_out) {
        headers.ethernet.dst_addr = dst_addr;
        headers.ethernet.src_addr = src_addr;
        send_to_port(ostd, port_out);
        headers.ipv4.ttl = headers.ipv4.ttl - 1;
        meta.sum = (bit<32>)headers.ipv4.hdr_checksum;
        meta.sum = meta.sum + 0x100;
        meta.carry = meta.sum;
        meta.carry = meta.carry >> 16;
        meta.sum = meta.sum + meta.carry;
        headers.ipv4.hdr_checksum = (bit<16>)meta.sum;
    }

    action bridge(PortId_t port_out) {
        send_to_port(ostd, port_out);
    }

    action unknown() {
        ingress_drop(ostd);
    }

    table routes {
        key = { headers.ipv4.dst_addr : lpm; }
        actions = { route; unknown; }
        const default_action = unknown;
        size = 65536;
    }

    table stations {
        key = { headers.ethernet.dst_addr : exact; }
        actions = { bridge; unknown; }
        const default_action = unknown;
        size = 65536;
    }

    apply {
        if (headers.ipv4.isValid()) {
            routes.apply();
        } else {
            stations.apply();
        }
    }
}

#include "../common/pipeline.p4"
