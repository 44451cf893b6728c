package webhook_test

import (
	"net"
	"net/netip"
	"testing"

	"homeward/internal/webhook"
)

// addresses lists the first and last address of each blocked range, and the public addresses next to them.
var addresses = []struct {
	addr   string
	public bool
	what   string
}{
	// IPv4, IANA's special-purpose registry
	{"0.0.0.0", false, "this host"},
	{"0.255.255.255", false, "this network"},
	{"1.0.0.0", true, "after this network"},
	{"9.255.255.255", true, "before private use"},
	{"10.0.0.0", false, "private use"},
	{"10.255.255.255", false, "private use"},
	{"11.0.0.0", true, "after private use"},
	{"100.63.255.255", true, "before shared address space"},
	{"100.64.0.0", false, "shared address space (CGNAT)"},
	{"100.100.100.200", false, "Alibaba's metadata"},
	{"100.127.255.255", false, "shared address space"},
	{"100.128.0.0", true, "after shared address space"},
	{"126.255.255.255", true, "before loopback"},
	{"127.0.0.0", false, "loopback"},
	{"127.0.0.1", false, "loopback"},
	{"127.0.0.53", false, "a local resolver"},
	{"127.255.255.255", false, "loopback"},
	{"128.0.0.0", true, "after loopback"},
	{"169.253.255.255", true, "before link-local"},
	{"169.254.0.0", false, "link-local"},
	{"169.254.169.254", false, "metadata service of most clouds"},
	{"169.254.170.2", false, "credentials service for ECS tasks"},
	{"169.254.255.255", false, "link-local"},
	{"169.255.0.0", true, "after link-local"},
	{"172.15.255.255", true, "before private use"},
	{"172.16.0.0", false, "private use"},
	{"172.17.0.1", false, "Docker's bridge"},
	{"172.31.255.255", false, "private use"},
	{"172.32.0.0", true, "after private use"},
	{"192.0.0.0", false, "protocol assignments"},
	{"192.0.0.8", false, "IPv4 dummy address"},
	{"192.0.0.9", false, "port control anycast"},
	{"192.0.0.170", false, "NAT64 discovery"},
	{"192.0.0.192", false, "Oracle's metadata"},
	{"192.0.1.0", true, "after protocol assignments"},
	{"192.0.2.1", false, "documentation 1"},
	{"192.31.196.1", false, "AS112"},
	{"192.52.193.1", false, "AMT"},
	{"192.88.99.1", false, "6to4 relay anycast"},
	{"192.167.255.255", true, "before private use"},
	{"192.168.0.0", false, "private use"},
	{"192.168.255.255", false, "private use"},
	{"192.169.0.0", true, "after private use"},
	{"192.175.48.1", false, "AS112 delegation"},
	{"198.17.255.255", true, "before benchmarking"},
	{"198.18.0.0", false, "benchmarking"},
	{"198.19.255.255", false, "benchmarking"},
	{"198.20.0.0", true, "after benchmarking"},
	{"198.51.100.7", false, "documentation 2"},
	{"203.0.113.255", false, "documentation 3"},
	{"223.255.255.255", true, "before multicast"},
	{"224.0.0.1", false, "multicast, all hosts"},
	{"239.255.255.250", false, "multicast, SSDP"},
	{"240.0.0.1", false, "reserved"},
	{"255.255.255.254", false, "reserved"},
	{"255.255.255.255", false, "broadcast"},
	{"168.63.129.15", true, "before Azure's"},
	{"168.63.129.16", false, "Azure's platform services"},
	{"168.63.129.17", true, "after Azure's"},
	{"8.8.8.8", true, "public"},
	{"93.184.215.14", true, "public"},

	// IPv6, IANA's special-purpose registry
	{"::", false, "unspecified"},
	{"::1", false, "loopback"},
	{"::127.0.0.1", false, "IPv4-compatible loopback"},
	{"::8.8.8.8", false, "IPv4-compatible"},
	{"::ffff:127.0.0.1", false, "IPv4-mapped loopback"},
	{"::ffff:7f00:1", false, "the same in hexadecimal"},
	{"::ffff:10.0.0.1", false, "IPv4-mapped private use"},
	{"::ffff:169.254.169.254", false, "IPv4-mapped metadata"},
	{"::ffff:8.8.8.8", false, "IPv4-mapped public address"},
	{"::ffff:0:127.0.0.1", false, "IPv4-translated"},
	{"64:ff9b::7f00:1", false, "NAT64 with a loopback address"},
	{"64:ff9b::a9fe:a9fe", false, "NAT64 with the metadata address"},
	{"64:ff9b::808:808", false, "NAT64 with a public address"},
	{"64:ff9b:1::1", false, "NAT64 for local use"},
	{"64:ff9b:1:ffff:ffff:ffff:ffff:ffff", false, "NAT64 for local use"},
	{"100::1", false, "discard only"},
	{"100:0:0:1::1", false, "dummy prefix"},
	{"2001::1", false, "Teredo"},
	{"2001:0:7f00:1::1", false, "Teredo with a loopback address"},
	{"2001:1::1", false, "port control anycast"},
	{"2001:2::1", false, "benchmarking"},
	{"2001:3::1", false, "AMT"},
	{"2001:4:112::1", false, "AS112"},
	{"2001:10::1", false, "ORCHID"},
	{"2001:20::1", false, "ORCHIDv2"},
	{"2001:30::1", false, "drone remote identification"},
	{"2001:1ff:ffff::1", false, "protocol assignments"},
	{"2001:200::1", true, "after protocol assignments"},
	{"2001:db7:ffff::1", true, "before documentation"},
	{"2001:db8::1", false, "documentation"},
	{"2001:db9::1", true, "after documentation"},
	{"2002:7f00:1::1", false, "6to4 with a loopback address"},
	{"2002:a9fe:a9fe::1", false, "6to4 with the metadata address"},
	{"2002:808:808::1", false, "6to4 with a public address"},
	{"2003::1", true, "after 6to4"},
	{"2620:4f:8000::1", false, "AS112 delegation"},
	{"3fff::1", false, "documentation"},
	{"3fff:fff:ffff::1", false, "documentation"},
	{"3fff:1000::1", true, "after documentation"},
	{"4000::1", false, "not assigned"},
	{"5f00::1", false, "segment routing"},
	{"fc00::1", false, "unique local"},
	{"fd00:ec2::254", false, "Amazon's metadata"},
	{"fd20:ce::254", false, "Google's metadata"},
	{"fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, "unique local"},
	{"fe80::1", false, "link-local"},
	{"fe80::a9fe:a9fe", false, "link-local metadata"},
	{"febf::1", false, "link-local"},
	{"fec0::1", false, "site-local"},
	{"feff::1", false, "site-local"},
	{"ff02::1", false, "multicast, all nodes"},
	{"ff0e::1", false, "multicast, global"},
	{"2606:4700:4700::1111", true, "public"},
	{"2001:4860:4860::8888", true, "public"},
	{"2a00:1450:4001:830::200e", true, "public"},
}

func TestOnlyPublicAddressesAreDialled(t *testing.T) {
	for _, tt := range addresses {
		network := "tcp6"
		if netip.MustParseAddr(tt.addr).Is4() {
			network = "tcp4"
		}
		if err := webhook.GuardDial(network, net.JoinHostPort(tt.addr, "443")); (err == nil) != tt.public {
			t.Errorf("%s (%s): %v", tt.addr, tt.what, err)
		}
	}
	t.Logf("%d addresses", len(addresses))
}

func TestOnlyPublicAddressesCanBeRegistered(t *testing.T) {
	for _, tt := range addresses {
		host := tt.addr
		if netip.MustParseAddr(host).Is6() {
			host = "[" + host + "]"
		}
		problems := webhook.CheckURL("https://"+host+"/hooks", false)
		if (problems == nil) != tt.public || problems != nil && problems[0].Code != "private-address" {
			t.Errorf("%s (%s): %v", tt.addr, tt.what, problems)
		}
		if problems := webhook.CheckURL("http://"+host+":8080/hooks", true); problems != nil {
			t.Errorf("%s (%s), allowed by the operator: %v", tt.addr, tt.what, problems)
		}
	}
}

func TestOnlyTCPIsDialled(t *testing.T) {
	for _, network := range []string{"udp4", "udp6", "unix", "ip4", "tcp"} {
		if webhook.GuardDial(network, "8.8.8.8:443") == nil {
			t.Errorf("%s was allowed", network)
		}
	}
}
