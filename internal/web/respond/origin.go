package respond

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
)

// OriginCheck rejects forms submitted from other sites (cross-site request forgery).
type OriginCheck struct {
	protection *http.CrossOriginProtection
}

// NewOriginCheck returns a check that accepts forms from the service's public address, base.
func NewOriginCheck(base *url.URL) (*OriginCheck, error) {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	return &OriginCheck{protection}, nil
}

// Check returns a Forbidden error if the request could change something and was sent from another site.
func (o *OriginCheck) Check(r *http.Request) error {
	if err := o.protection.Check(r); err != nil {
		return lost.E(lost.Forbidden, "This form was sent from another site.").WithCause(err)
	}
	return nil
}
