package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeward/internal/lost"
	"homeward/internal/store/storetest"
)

// Every valid record is returned as it was sent, except that texts are trimmed and normalized. It is the same when it
// is read again, and does not change when it is sent back.
func TestValidRecordsSurviveARoundTrip(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		s := startService(t, newConfig(t, setting))
		hotel := s.newLocation(`{"name": "Hotel", "storagePlace": "Cellar", "storageDuration": 30}`)
		t.Run("items", func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				roundTrip(rt, s, "/v1/locations/"+hotel+"/items", newItemBody().Draw(rt, "item"),
					map[string]any{"storagePlace": "Cellar"})
			})
		})
		t.Run("locations", func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				roundTrip(rt, s, "/v1/locations", newLocationBody().Draw(rt, "location"),
					map[string]any{"type": "hotel"})
			})
		})
	})
}

// sent is a record to create and its expected representation.
type sent struct{ body, back map[string]any }

func roundTrip(t *rapid.T, s *service, path string, record sent, defaults map[string]any) {
	a := s.do(s.key, "POST", path, record.body)
	if a.status != http.StatusCreated {
		t.Fatalf("create returned %d: %s", a.status, a.body)
	}
	address := a.header.Get("Location")
	created := decoded(t, a.body)
	want := maps.Clone(defaults)
	maps.Copy(want, record.back)
	for name, v := range created {
		if _, input := want[name]; !input && !readOnlyFields[name] {
			t.Errorf("%s is %v, but was not sent", name, v)
		}
	}
	for name, v := range want {
		if !reflect.DeepEqual(created[name], v) {
			t.Errorf("%s was sent as %#v and returned as %#v", name, v, created[name])
		}
	}
	read := s.do(s.key, "GET", address, nil)
	if string(read.body) != string(a.body) {
		t.Errorf("created\n%s\nread\n%s", a.body, read.body)
	}
	again := s.do(s.key, "PUT", address, string(read.body))
	if again.status != http.StatusOK || string(again.body) != string(read.body) {
		t.Errorf("sending it back returned %d\n%s\nbefore\n%s", again.status, again.body, read.body)
	}
}

var readOnlyFields = map[string]bool{
	"id": true, "locationId": true, "reference": true, "source": true, "status": true, "images": true,
	"storeUntil": true,
	"createdAt":  true, "updatedAt": true, "permalink": true,
}

func decoded(t *rapid.T, body []byte) (m map[string]any) {
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, body)
	}
	return m
}

// field is a value and its expected representation.
type field struct{ in, out any }

func plain[T any](g *rapid.Generator[T]) *rapid.Generator[field] {
	return rapid.Map(g, func(v T) field { return field{v, v} })
}

// letters contains characters from many scripts, and characters that often need escaping.
var letters = []rune("abcXYZ 0189äöüßéØłđþÆŒıİςΣДя東京한글عربיעब्रि%_'\"\\<>&/#?;:,.*^|{}[]()+-=~`!$ " +
	"\u00a0\u200d\ufeff\ufffd\u0301🧸👨‍👩‍👧ﬁⅨ①")

// line generates single-line text, and prose generates multi-line text. The service trims both.
func line(limit int) *rapid.Generator[field] { return words(limit, letters) }
func prose(limit int) *rapid.Generator[field] {
	return words(limit, append([]rune("\n\r\t"), letters...))
}

func words(limit int, from []rune) *rapid.Generator[field] {
	visible := rapid.StringOfN(rapid.SampledFrom(from), 1, limit, -1).Filter(func(s string) bool {
		return strings.Trim(s, " \r\n\t\u200d\ufeff\u00a0") != ""
	})
	return rapid.Map(visible, func(s string) field { return field{s, strings.TrimSpace(s)} })
}

func oneOf[T ~string](values []T) *rapid.Generator[field] {
	return rapid.Map(rapid.SampledFrom(values), func(v T) field { return field{string(v), string(v)} })
}

func date() *rapid.Generator[field] {
	return plain(rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%04d-%02d-%02d", rapid.IntRange(1, 9999).Draw(t, "year"),
			rapid.IntRange(1, 12).Draw(t, "month"), rapid.IntRange(1, 28).Draw(t, "day"))
	}))
}

func timeOfDay(first, last int) *rapid.Generator[field] {
	return plain(rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%02d:%02d", rapid.IntRange(first, last).Draw(t, "hour"),
			rapid.IntRange(0, 59).Draw(t, "minute"))
	}))
}

func email() *rapid.Generator[field] {
	return plain(rapid.StringMatching(`[a-z0-9äß]{1,20}(\.[a-z0-9]{1,10})?(\+[a-z]{1,5})?` +
		`@([a-zäü0-9]{1,15}\.){1,3}[a-z]{2,8}`))
}

func webAddress() *rapid.Generator[field] { return address("https?") }

func secureAddress() *rapid.Generator[field] { return address("https") }

func address(scheme string) *rapid.Generator[field] {
	return plain(rapid.StringMatching(scheme + `://[a-zäü0-9]{1,15}\.example(:[1-9][0-9]{0,3})?` +
		`(/[a-zA-Z0-9ä._~-]{0,10}){0,4}(\?[a-z]=[a-z0-9%]{0}[a-z0-9]{0,10})?(#[a-z]{0,10})?`))
}

func phone() *rapid.Generator[field] {
	return rapid.Custom(func(t *rapid.T) field {
		code := rapid.SampledFrom([]string{"1", "44", "49", "48", "358", "681", "7"}).Draw(t, "code")
		digits := rapid.StringMatching(`[0-9]{6,12}`).Draw(t, "digits")
		gap := rapid.SampledFrom([]string{"", " ", "-", ".", " / ", "\u00a0"}).Draw(t, "gap")
		return field{"+" + code + gap + digits[:3] + gap + digits[3:], "+" + code + digits}
	})
}

func country() *rapid.Generator[field] {
	return rapid.Custom(func(t *rapid.T) field {
		code := rapid.SampledFrom([]string{"AD", "DE", "GB", "US", "JP", "ZW", "AX"}).Draw(t, "country")
		if rapid.Bool().Draw(t, "lower") {
			return field{strings.ToLower(code), code}
		}
		return field{code, code}
	})
}

// object generates an object with the required field and some of the other fields.
func object(required string, fields map[string]*rapid.Generator[field]) *rapid.Generator[sent] {
	return rapid.Custom(func(t *rapid.T) sent {
		o := sent{map[string]any{}, map[string]any{}}
		for _, name := range sortedNames(fields) {
			if name == required || rapid.Bool().Draw(t, "has "+name) {
				f := fields[name].Draw(t, name)
				o.body[name] = f.in
				if f.out != nil {
					o.back[name] = f.out
				}
			}
		}
		return o
	})
}

func sortedNames(fields map[string]*rapid.Generator[field]) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// nested generates an object inside a record; an empty one is omitted in the response.
func nested(fields map[string]*rapid.Generator[field], finish func(back map[string]any)) *rapid.Generator[field] {
	return rapid.Map(object("", fields), func(o sent) field {
		if len(o.back) == 0 {
			return field{o.body, nil}
		}
		finish(o.back)
		return field{o.body, o.back}
	})
}

func unchanged(map[string]any) {}

func language() *rapid.Generator[field] {
	return rapid.Map(rapid.SampledFrom([][2]string{
		{"de", "de"}, {"PT-br", "pt-BR"}, {" zh-hant-TW ", "zh-Hant-TW"}, {"gsw", "gsw"},
	}), func(l [2]string) field {
		return field{l[0], l[1]}
	})
}

// reminders generates lists of days, which the service returns sorted and without duplicates. Missing lists get their
// defaults.
func reminders() *rapid.Generator[field] {
	usual := map[string]any{
		"afterNotice": []any{3.0, 7.0}, "beforeStoreUntil": []any{3.0}, "beforePickup": []any{1.0},
		"afterMissedPickup": []any{1.0},
	}
	days := rapid.Map(rapid.SliceOfN(rapid.IntRange(1, lost.MaxStepDays), 0, lost.MaxSteps), func(in []int) field {
		out := []any{}
		for _, d := range slices.Compact(slices.Sorted(slices.Values(in))) {
			out = append(out, float64(d))
		}
		return field{in, out}
	})
	return rapid.Map(object("", map[string]*rapid.Generator[field]{
		"afterNotice": days, "beforeStoreUntil": days, "beforePickup": days, "afterMissedPickup": days,
	}), func(o sent) field {
		back := maps.Clone(usual)
		maps.Copy(back, o.back)
		return field{o.body, back}
	})
}

// shippingRules generates prices; all of them are sent, because the defaults depend on the currency.
func shippingRules() *rapid.Generator[field] {
	number := func(most int) *rapid.Generator[field] {
		return rapid.Map(rapid.IntRange(0, most), func(n int) field { return field{n, float64(n)} })
	}
	zone := rapid.Custom(func(t *rapid.T) field {
		in, out := []any{}, []any{}
		for _, grams := range slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(1,
			lost.MaxGrams), 0, 5).Draw(t, "grams")))) {
			price := rapid.IntRange(0, lost.MaxAmount).Draw(t, "price")
			in, out = append(in, map[string]any{"upToGrams": grams, "price": price}),
				append(out, map[string]any{"upToGrams": float64(grams), "price": float64(price)})
		}
		letter, from, more := number(lost.MaxAmount).Draw(t, "letter"), rapid.IntRange(0, 60).Draw(t, "from"),
			rapid.IntRange(0, 60).Draw(t, "more")
		return field{
			map[string]any{"prices": in, "documentPrice": letter.in, "fromDays": from, "toDays": from + more},
			map[string]any{
				"prices": out, "documentPrice": letter.out, "fromDays": float64(from), "toDays": float64(from + more),
			},
		}
	})
	return rapid.Custom(func(t *rapid.T) field {
		in, out := map[string]any{}, map[string]any{}
		for name, value := range map[string]*rapid.Generator[field]{
			"offered": plain(rapid.Bool()), "service": line(50),
			"currency": plain(rapid.SampledFrom([]string{"EUR", "JPY", "USD"})), "handlingFee": number(lost.MaxAmount),
			"taxRate": rapid.Map(rapid.IntRange(0, 10_000), func(n int) field {
				return field{float64(n) / 100, float64(n) / 100}
			}), "taxId": line(50),
			"domestic": zone, "neighbour": zone, "world": zone,
		} {
			f := value.Draw(t, name)
			in[name], out[name] = f.in, f.out
		}
		return field{in, out}
	})
}

func newItemBody() *rapid.Generator[sent] {
	return object("description", map[string]*rapid.Generator[field]{
		"description": prose(300), "discoveryPlace": line(100), "discoveryDate": date(), "brand": line(50),
		"model": line(50), "color": line(50),
		"storagePlace": line(100), "notes": prose(300), "imageUrl": webAddress(), "language": language(),
		"shipping": nested(map[string]*rapid.Generator[field]{
			"weight":     plain(rapid.Float64Range(1e-9, lost.MaxWeight)),
			"weightUnit": oneOf(lost.WeightUnits()), "boxType": oneOf(lost.BoxTypes()),
			"isDocument": plain(rapid.Bool()), "notShippedBecause": line(100),
		}, func(back map[string]any) {
			_, reason := back["notShippedBecause"]
			if back["weightUnit"] == nil && (len(back) > 1 || !reason) {
				back["weightUnit"] = "kg"
			}
		}),
		"owner": nested(map[string]*rapid.Generator[field]{
			"firstName": line(50), "lastName": line(50), "email": email(), "phone": phone(),
		}, unchanged),
	})
}

func newLocationBody() *rapid.Generator[sent] {
	return object("name", map[string]*rapid.Generator[field]{
		"name": line(100), "website": webAddress(), "logoUrl": webAddress(), "description": prose(300),
		"type": oneOf(lost.LocationTypes()),
		"storageDuration": rapid.Map(rapid.IntRange(0, lost.MaxStorageDays), func(n int) field {
			return field{n, float64(n)}
		}), "storagePlace": line(100),
		"address1": line(50), "address2": line(50), "city": line(50), "state": line(50), "zipCode": line(50),
		"country": country(),
		"timeZone": plain(rapid.SampledFrom([]string{
			"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata",
		})), "charity": line(100), "privacyText": prose(300), "privacyUrl": secureAddress(),
		"language": language(), "reminders": reminders(), "shipping": shippingRules(),
		"contact": nested(map[string]*rapid.Generator[field]{
			"name": line(50), "email": email(), "email2": email(), "phone": phone(),
		}, unchanged),
		"pickupTime": nested(map[string]*rapid.Generator[field]{"from": timeOfDay(0, 11), "to": timeOfDay(12, 23)},
			unchanged),
	})
}
