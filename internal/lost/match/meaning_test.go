package match_test

import (
	"math"
	"slices"
	"testing"

	"homeward/internal/lost/match"
)

// vector returns a vector with the given angle to the first axis, in degrees.
func vector(angle float64) match.Vector {
	radians := angle * math.Pi / 180
	return match.NewVector([]float64{math.Cos(radians), math.Sin(radians), 0, 0})
}

func TestVectorsAreReadAsTheyWereWritten(t *testing.T) {
	for _, v := range []match.Vector{
		vector(0), vector(77), match.NewVector([]float64{1e-9, -3e-9}), match.NewVector([]float64{2, -127, 0.4}),
	} {
		read, ok := match.ParseVector(v.String())
		if !ok || read.String() != v.String() {
			t.Errorf("%q became %q, %t", v, read, ok)
		}
	}
	long := make([]float64, 768)
	for n := range long {
		long[n] = math.Sin(float64(n))
	}
	if n := len(match.NewVector(long).String()); n > 1100 {
		t.Errorf("a vector with 768 coordinates has %d bytes", n)
	}
	for _, text := range []string{"", "-", "AAAA", "no vector!"} {
		if v, ok := match.ParseVector(text); ok {
			t.Errorf("%q became %q", text, v)
		}
	}
}

func TestSimilarMeaningsAreAReason(t *testing.T) {
	read := func(description string, meanings ...match.Vector) match.Profile {
		return match.Read(match.Subject{Description: description, Meanings: meanings})
	}
	compare := func(request, found match.Profile) match.Score {
		return match.Compare(request, found, match.Counts{"": 100})
	}
	isReason := func(s match.Score) bool {
		return slices.ContainsFunc(s.Reasons, func(r match.Reason) bool { return r.Code == "similar-meaning" })
	}
	const request, found = "Black umbrella", "Umbrella with a curved handle"
	without := compare(read(request), read(found))
	last := without.Value
	for _, angle := range []float64{75, 50, 30, 0} {
		with := compare(read(request, vector(0)), read(found, vector(angle)))
		switch {
		case angle == 75 && (with.Value != without.Value || isReason(with)):
			t.Errorf("at %v degrees: got %+v, want %+v", angle, with, without)
		case angle < 75 && (with.Value <= last || with.Value >= 1 || !isReason(with)):
			t.Errorf("at %v degrees: got %+v after %v", angle, with, last)
		}
		last = with.Value
	}
	if with := compare(read(request, vector(90), vector(10)), read(found, vector(12), vector(180))); !isReason(with) {
		t.Errorf("with several meanings: got %+v", with)
	}
	for name, other := range map[string]match.Profile{
		"one without a vector": read(found), "a vector of another length": read(found, match.NewVector([]float64{1})),
		"an opposite meaning": read(found, vector(180)),
	} {
		if got := compare(read(request, vector(0)), other); got.Value != without.Value || isReason(got) {
			t.Errorf("%s: got %+v, want %+v", name, got, without)
		}
	}
	early := match.Read(match.Subject{Description: found, Day: 10, Meanings: []match.Vector{vector(0)}})
	later := match.Read(match.Subject{Description: request, Day: 20, Meanings: []match.Vector{vector(0)}})
	if got := compare(later, early); got.Value != 0 || len(got.Reasons) != 0 {
		t.Errorf("found long before it was lost: got %+v", got)
	}
}

// A model must not make a pair likely that has only common properties in common: the location may have many such
// things, of which all have a similar meaning.
func TestSimilarMeaningsMakeNoCommonPairLikely(t *testing.T) {
	for _, pair := range [][2]string{
		{"Black umbrella", "Black umbrella"}, {"Schwarzer Regenschirm", "Black umbrella"},
		{"blue jacket", "Jacket, blue"},
	} {
		compare := func(meanings ...match.Vector) match.Score {
			return match.Compare(match.Read(match.Subject{Description: pair[0], Meanings: meanings}),
				match.Read(match.Subject{Description: pair[1], Meanings: meanings}), match.Counts{"": 100})
		}
		without, with := compare(), compare(vector(0))
		if with.Likely() || with.Value <= without.Value {
			t.Errorf("%q: got %v with the same meaning and %v without, want a higher one that is not likely", pair,
				with.Value, without.Value)
		}
		if without.Evidence.Named()["similarMeaning"] != 0 || with.Evidence.Named()["similarMeaning"] != 1 {
			t.Errorf("%q: got evidence %v without and %v with the same meaning", pair, without.Evidence.Named(),
				with.Evidence.Named())
		}
	}
}
