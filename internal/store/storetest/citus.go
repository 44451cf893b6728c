package storetest

import (
	"net"
	"net/url"
	"testing"

	"homeward/internal/store"
)

// CitusVar names the environment variable with the URLs of the Citus nodes. PostgresVar must then
// be the coordinator. Every test database is distributed across the nodes, so even databases for
// tests of migrations are already migrated.
const CitusVar = "HOMEWARD_TEST_CITUS"

// distribute creates the database on every node and distributes its tables.
func distribute(t testing.TB, name, coordinator string, nodes []string) {
	t.Helper()
	parse := func(address string) (u *url.URL) {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatalf("%s is not a URL: %v", CitusVar, err)
		}
		return u
	}
	for _, node := range nodes {
		run(t, node, "CREATE DATABASE "+name)
		t.Cleanup(func() { run(t, node, "DROP DATABASE "+name+" WITH (FORCE)") })
		nodeURL := parse(node)
		nodeURL.Path = "/" + name
		run(t, nodeURL.String(), "CREATE EXTENSION citus")
	}
	run(t, coordinator, "CREATE EXTENSION citus")
	run(t, coordinator,
		"SELECT citus_set_coordinator_host('"+parse(coordinator).Hostname()+"', "+parse(coordinator).Port()+")")
	for _, node := range nodes {
		host, port, _ := net.SplitHostPort(parse(node).Host) // the URL has both
		run(t, coordinator, "SELECT citus_add_node('"+host+"', "+port+")")
	}
	db, err := store.Open(t.Context(), coordinator, Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Distribute(t.Context()); err != nil {
		t.Fatal(err)
	}
}
