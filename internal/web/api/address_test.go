package api_test

import (
	"strings"
	"testing"
)

func TestASlashAtTheEndOfAnAddressIsIgnored(t *testing.T) {
	s := newService(t)
	created := s.want(201, "POST", locationsPath+"/", `{"name":"Hotel Adler"}`, "Idempotency-Key", "one")
	at := created.header.Get("Location")
	again := s.want(201, "POST", locationsPath, `{"name":"Hotel Adler"}`, "Idempotency-Key", "one")
	if string(again.body) != string(created.body) {
		t.Errorf("the same request without the slash returned %s, want %s", again.body, created.body)
	}
	s.want(200, "GET", at+"/", "")
	s.want(200, "GET", at+"/items/?limit=10", "")
	s.want(405, "DELETE", locationsPath+"/", "")
	s.want(404, "GET", at+"%2F", "") // an escaped slash is part of the identifier
	s.want(404, "GET", "/v1/", "")
}

func TestARepeatedQueryParameterIsRefused(t *testing.T) {
	s := newService(t)
	at := s.want(201, "POST", locationsPath, `{"name":"Hotel Adler"}`).header.Get("Location")
	for _, query := range []string{"page=1&page=1", "limit=10&limit=20", "term=a&term=b", "from=2026-01-01&from="} {
		name, _, _ := strings.Cut(query, "=")
		refused := s.want(400, "GET", at+"/items?"+query, "")
		if detail, _ := refused.record()["detail"].(string); !strings.Contains(detail, " "+name+" ") {
			t.Errorf("%s: the detail does not name the parameter: %s", query, detail)
		}
	}
	s.want(200, "GET", at+"/items?status=PENDING&status=SHIPPED&source=found&source=request", "")
	s.want(422, "GET", at+"/items?wrong=1&wrong=2", "")
}

func TestOnlyVerificationRequestsHaveNoEventID(t *testing.T) {
	hook := decoded(t, document(t))["webhooks"].(dict)["pickup"].(dict)["post"].(dict)
	for _, p := range hook["parameters"].([]any) {
		header := p.(dict)
		if want := header["name"] != "svc-event-id" && header["name"] != "svc-test"; header["required"] != want {
			t.Errorf("%s: required is %v, want %t", header["name"], header["required"], want)
		}
	}
}
