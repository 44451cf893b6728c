package store

import "testing"

func TestConnectionsHaveTheServicesNameByDefault(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://homeward@127.0.0.1/homeward":                             "homeward",
		"postgres://homeward@127.0.0.1/homeward?application_name=front-desk": "front-desk",
	} {
		cfg, err := poolConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.ConnConfig.RuntimeParams["application_name"]; got != want {
			t.Errorf("%s: %q", dsn, got)
		}
	}
}
