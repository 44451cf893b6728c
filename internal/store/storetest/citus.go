package storetest

import (
	"net"
	"net/url"
	"testing"

	"homeward/internal/store"
)

// CitusVar names the environment variable with the URLs of the Citus nodes; PostgresVar is then the coordinator. Every
// test database is distributed over them, and so has its schema from the start.
const CitusVar = "HOMEWARD_TEST_CITUS"

// distribute creates the database on every node, and distributes its tables.
func distribute(t testing.TB, name, coordinator string, machines []string) {
	t.Helper()
	at := func(address string) (u *url.URL) {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatalf("%s is not a URL: %v", CitusVar, err)
		}
		return u
	}
	for _, machine := range machines {
		run(t, machine, "CREATE DATABASE "+name)
		t.Cleanup(func() { run(t, machine, "DROP DATABASE "+name+" WITH (FORCE)") })
		there := at(machine)
		there.Path = "/" + name
		run(t, there.String(), "CREATE EXTENSION citus")
	}
	run(t, coordinator, "CREATE EXTENSION citus")
	run(t, coordinator,
		"SELECT citus_set_coordinator_host('"+at(coordinator).Hostname()+"', "+at(coordinator).Port()+")")
	for _, machine := range machines {
		host, port, _ := net.SplitHostPort(at(machine).Host) // the URL has both
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
