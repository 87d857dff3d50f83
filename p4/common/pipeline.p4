// SPDX-License-Identifier: Apache-2.0
// The parts of a PSA switch that all programs have alike. A program defines metadata_t and the
// control MyIngress before it includes this file.
//
// The DPDK backend compiles the ingress pipeline only: SWX has one pipeline, so what stands in
// egress is accepted and never runs.

parser IngressParserImpl(packet_in packet, out headers_t headers, inout metadata_t meta,
                         in psa_ingress_parser_input_metadata_t istd,
                         in empty_t resubmitted, in empty_t recirculated) {
    state start {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.ethertype) {
            ETHERTYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(headers.ipv4);
        transition select(headers.ipv4.protocol) {
            PROTOCOL_UDP: parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(headers.udp);
        transition accept;
    }
}

control IngressDeparserImpl(packet_out packet, out empty_t clone_i2e, out empty_t resubmit,
                            out empty_t normal, inout headers_t headers, in metadata_t meta,
                            in psa_ingress_output_metadata_t istd) {
    apply {
        packet.emit(headers.ethernet);
        packet.emit(headers.ipv4);
        packet.emit(headers.udp);
    }
}

parser EgressParserImpl(packet_in packet, out headers_t headers, inout metadata_t meta,
                        in psa_egress_parser_input_metadata_t istd, in empty_t normal,
                        in empty_t clone_i2e, in empty_t clone_e2e) {
    state start {
        transition accept;
    }
}

control EgressImpl(inout headers_t headers, inout metadata_t meta,
                   in psa_egress_input_metadata_t istd,
                   inout psa_egress_output_metadata_t ostd) {
    apply {
    }
}

control EgressDeparserImpl(packet_out packet, out empty_t clone_e2e, out empty_t recirculate,
                           inout headers_t headers, in metadata_t meta,
                           in psa_egress_output_metadata_t istd,
                           in psa_egress_deparser_input_metadata_t edstd) {
    apply {
    }
}

IngressPipeline(IngressParserImpl(), MyIngress(), IngressDeparserImpl()) ingress;
EgressPipeline(EgressParserImpl(), EgressImpl(), EgressDeparserImpl()) egress;

PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
