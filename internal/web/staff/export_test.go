package staff

import "net/http"

// Unguarded is the door without the rights that its routes name: whatever is refused there, the desk refuses.
func Unguarded(o Options) (http.Handler, error) {
	door, err := New(o)
	if err != nil {
		return nil, err
	}
	s := door.(*Staff)
	s.mux = http.NewServeMux()
	for _, r := range Routes() {
		r.Right = ""
		s.mux.Handle(r.Method+" "+r.Path, s.serve(r))
	}
	return s, nil
}
