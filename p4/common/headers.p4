// SPDX-License-Identifier: Apache-2.0
// What all programs parse. The DPDK backend wants fields of whole bytes, of at most 64 bits.

#ifndef LINERATE_HEADERS_P4
#define LINERATE_HEADERS_P4

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;

header ethernet_h {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ethertype;
}

// Version and length, flags and offset are one field each: 4 and 3 bits are no whole bytes.
header ipv4_h {
    bit<8> ver_ihl;
    bit<8> diffserv;
    bit<16> total_len;
    bit<16> identification;
    bit<16> flags_offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> hdr_checksum;
    bit<32> src_addr;
    bit<32> dst_addr;
}

header udp_h {
    bit<16> src_port;
    bit<16> dst_port;
    bit<16> length;
    bit<16> checksum;
}

struct headers_t {
    ethernet_h ethernet;
    ipv4_h ipv4;
    udp_h udp;
}

struct empty_t {
}

// Repeats statements; P4 has no loops, and the preprocessor of p4c is that of C.
#define TWICE(...) __VA_ARGS__ __VA_ARGS__
#define TEN_TIMES(...) TWICE(TWICE(TWICE(__VA_ARGS__))) TWICE(__VA_ARGS__)

#endif
