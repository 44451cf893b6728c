package lost_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

// berlinLocation returns a location in Berlin with a storage duration of 10 days and a pick-up window from 10:00 to
// 14:00.
func berlinLocation(t *testing.T) lost.Location {
	t.Helper()
	l, err := lost.NewLocation("acc_1", lost.LocationPatch{
		Name: lost.Set("Hotel Adler"), TimeZone: lost.Set("Europe/Berlin"), StorageDuration: lost.Set(10),
		Pickup: lost.Set(lost.PickupPatch{From: lost.Set("10:00"), To: lost.Set("14:00")}),
	}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// annasItem returns an item that belongs to Anna and was found at noon (13:00 in Berlin) on 15 November 2026, a
// Sunday.
func annasItem(t *testing.T, l lost.Location) lost.Item {
	t.Helper()
	i, err := lost.NewItem("acc_1", l.ID, lost.ItemPatch{
		Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}, noon)
	if err != nil {
		t.Fatal(err)
	}
	i.Terms = l.Terms()
	return i
}

// faults lists the field problems of an error, each as "field code".
func faults(err error) []string {
	var all []string
	for _, f := range lost.ProblemsOf(err) {
		all = append(all, f.Field+" "+f.Code)
	}
	return all
}

func TestPickupMustBeInTheFutureInTheWindowAndDuringStorage(t *testing.T) {
	l := berlinLocation(t)
	for _, c := range []struct {
		day, hour string
		want      []string
	}{
		{"2026-11-15", "13:30", nil},
		{"2026-11-16", "10:00", nil},
		{"2026-11-16", "14:00", nil},
		{"2026-11-25", "12:00", nil},
		{"2026-11-15", "13:00", []string{"pickupTime past"}},
		{"2026-11-15", "10:00", []string{"pickupTime past"}},
		{"2026-11-14", "12:00", []string{"pickupDate past"}},
		{"2026-11-26", "12:00", []string{"pickupDate after-store-until"}},
		{"2026-11-16", "09:59", []string{"pickupTime outside-window"}},
		{"2026-11-16", "14:01", []string{"pickupTime outside-window"}},
		{"2026-11-14", "23:00", []string{"pickupDate past", "pickupTime outside-window"}},
		{"", "", []string{"pickupDate required", "pickupTime required"}},
		{"tomorrow", "noon", []string{"pickupDate invalid-date", "pickupTime invalid-time"}},
		{"2026-02-30", "12:00", []string{"pickupDate invalid-date"}},
	} {
		i := annasItem(t, l)
		p := lost.ChoicePatch{Choice: lost.ChoosePickUp}
		if c.day != "" {
			p.PickupDate, p.PickupTime = lost.Set(c.day), lost.Set(c.hour)
		}
		changed, err := i.Choose(p, l, noon)
		if got := faults(err); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.day, c.hour, got, c.want)
		}
		if c.want == nil &&
			(err != nil || i.Status != lost.PickUp ||
				i.Pickup != (lost.Pickup{Date: c.day, Time: c.hour, Planned: true}) ||
				!slices.Contains(changed, "pickup")) {
			t.Errorf("%s %s: %v, %+v, changed %q", c.day, c.hour, err, i.Pickup, changed)
		}
		if c.want != nil && i.Status != lost.Pending {
			t.Errorf("%s %s: moved to %s, want no change", c.day, c.hour, i.Status)
		}
	}
}

func TestAPickupWindowMayEndAfterMidnight(t *testing.T) {
	l := berlinLocation(t)
	l.Pickup = lost.PickupWindow{From: "18:00", To: "02:00"}
	for at, want := range map[string][]string{
		"18:00": nil, "23:59": nil, "00:00": nil, "02:00": nil,
		"02:01": {"pickupTime outside-window"}, "17:59": {"pickupTime outside-window"},
	} {
		i := annasItem(t, l)
		_, err := i.Choose(lost.ChoicePatch{
			Choice: lost.ChoosePickUp, PickupDate: lost.Set("2026-11-16"), PickupTime: lost.Set(at),
		}, l, noon)
		if got := faults(err); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	i := annasItem(t, l)
	if first, _ := i.PickupDays(l, noon.Add(10*time.Hour)); first != "2026-11-15" { // 23:00 in Berlin
		t.Errorf("the first day is %s, want today", first)
	}
}

func TestPickupWithoutWindowAndStorageDuration(t *testing.T) {
	l := berlinLocation(t)
	l.Pickup, l.StorageDuration = lost.PickupWindow{}, nil
	i := annasItem(t, l)
	if _, err := i.Choose(lost.ChoicePatch{
		Choice: lost.ChoosePickUp, PickupDate: lost.Set("2027-11-15"), PickupTime: lost.Set("03:00"),
	}, l, noon); err != nil {
		t.Error(err)
	}
	_, err := i.Choose(lost.ChoicePatch{
		Choice: lost.ChoosePickUp, PickupDate: lost.Set("2027-11-16"), PickupTime: lost.Set("03:00"),
	}, l, noon)
	if got := faults(err); !slices.Equal(got, []string{"pickupDate too-far"}) {
		t.Error(got)
	}
}

func TestFirstPickupDayIsTodayUntilTheWindowCloses(t *testing.T) {
	l := berlinLocation(t)
	i := annasItem(t, l)
	if first, last := i.PickupDays(l, noon); first != "2026-11-15" || last != "2026-11-25" {
		t.Error(first, last)
	}
	if first, _ := i.PickupDays(l, noon.Add(time.Hour)); first != "2026-11-16" { // 14:00 in Berlin
		t.Error(first)
	}
}

func TestAnAddressFollowsTheRulesOfItsCountry(t *testing.T) {
	l := berlinLocation(t)
	for _, c := range []struct {
		country, zip, state string
		want                []string
		written             string
	}{
		{"DE", "10115", "", nil, "10115"},
		{"nl", "1012ab", "", nil, "1012 AB"},
		{"GB", "sw1a1aa", "", nil, "SW1A 1AA"},
		{"PL", "00950", "", nil, "00-950"},
		{"PL", "00–950", "", nil, "00-950"},
		{"DE", "D-10115", "", nil, "10115"},
		{"JP", "1000001", "Tokyo", nil, "100-0001"},
		{"JP", "〒１００－０００１", "Tokyo", nil, "100-0001"},
		{"US", "10001-1234", "NY", nil, "10001-1234"},
		{"IE", "", "", nil, ""},
		{"HK", "", "", nil, ""},
		{"DE", "1011", "", []string{"recipient.zipCode invalid-zip"}, ""},
		{"DE", "ABCDE", "", []string{"recipient.zipCode invalid-zip"}, ""},
		{"DE", "", "", []string{"recipient.zipCode required"}, ""},
		{"US", "10001", "", []string{"recipient.state required"}, ""},
		{"XX", "1", "", []string{"recipient.country invalid-country"}, ""},
	} {
		i := annasItem(t, l)
		_, err := i.Choose(lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: lost.RecipientPatch{
			Name: lost.Set("Anna"), Address1: lost.Set("Main St 1"), City: lost.Set("Town"), State: lost.Set(c.state),
			ZipCode: lost.Set(c.zip), Country: lost.Set(c.country),
		}}, l, noon)
		if got := faults(err); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.country, c.zip, got, c.want)
		}
		if c.want == nil &&
			(i.Status != lost.InfoCompleted || i.Shipping.Recipient.ZipCode != c.written ||
				i.Shipping.Recipient.Country != strings.ToUpper(c.country)) {
			t.Errorf("%s %s: %+v", c.country, c.zip, i.Shipping.Recipient)
		}
	}
	i := annasItem(t, l)
	_, err := i.Choose(lost.ChoicePatch{
		Choice:    lost.ChooseShip,
		Recipient: lost.RecipientPatch{Name: lost.Set("Anna\r\nBcc: x"), Phone: lost.Set("12")},
	}, l, noon)
	want := []string{
		"recipient.name control-character", "recipient.phone invalid-phone", "recipient.address1 required",
		"recipient.city required", "recipient.country required",
	}
	if got := faults(err); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestExamplesOfPostalCodesAreAccepted(t *testing.T) {
	l := berlinLocation(t)
	for _, country := range lost.Countries() {
		example := lost.PostalExample(country)
		if example == "" {
			continue
		}
		i := annasItem(t, l)
		_, err := i.Choose(lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: lost.RecipientPatch{
			Name: lost.Set("A"), Address1: lost.Set("B"), City: lost.Set("C"), State: lost.Set("D"),
			ZipCode: lost.Set(example), Country: lost.Set(country),
		}}, l, noon)
		if err != nil || i.Shipping.Recipient.ZipCode != example {
			t.Errorf("%s: %q: %v", country, example, err)
		}
	}
}

func TestAChoiceCanBeChangedUntilItIsActedOn(t *testing.T) {
	l := berlinLocation(t)
	choices := []lost.ChoicePatch{
		{Choice: lost.ChoosePickUp, PickupDate: lost.Set("2026-11-16"), PickupTime: lost.Set("12:00")},
		{Choice: lost.ChooseLeave}, {Choice: lost.ChooseDonate},
		{
			Choice: lost.ChooseShip,
			Recipient: lost.RecipientPatch{
				Name: lost.Set("A"), Address1: lost.Set("B"), City: lost.Set("C"), ZipCode: lost.Set("10115"),
				Country: lost.Set("DE"),
			},
		},
	}
	for _, from := range lost.Statuses() {
		for _, by := range []lost.ActorKind{lost.ByGuest, lost.ByKey} {
			for _, closed := range []bool{false, true} {
				for _, p := range choices {
					i := annasItem(t, l)
					i.Status, i.MovedBy = from, by
					if closed {
						i.ClosedAt = noon
					}
					allowed := from == lost.Pending || from == lost.InfoCompleted ||
						by == lost.ByGuest &&
							!closed && (from == lost.PickUp || from == lost.Discard || from == lost.Donate)
					_, err := i.Choose(p, l, noon)
					if taken := i.Status == p.Choice.Status(); allowed && (err != nil || !taken) || !allowed &&
						from != p.Choice.Status() && (taken || lost.CodeOf(err) != lost.Conflict) {
						t.Errorf("%s by %s, closed %t, then %s: %v, now %s", from, by, closed, p.Choice, err, i.Status)
					}
					if i.GuestMayChoose() != allowed && i.Status == from {
						t.Errorf("%s by %s, closed %t: GuestMayChoose is %t", from, by, closed, i.GuestMayChoose())
					}
				}
			}
		}
	}
}

func TestChoosingTheSameAgainChangesNothing(t *testing.T) {
	l := berlinLocation(t)
	i := annasItem(t, l)
	p := lost.ChoicePatch{
		Choice: lost.ChoosePickUp, Seen: lost.Pending, PickupDate: lost.Set("2026-11-16"),
		PickupTime: lost.Set("12:00"),
	}
	if _, err := i.Choose(p, l, noon); err != nil {
		t.Fatal(err)
	}
	before := i
	changed, err := i.Choose(p, l, noon.Add(time.Second)) // a double tap: Seen is still the status before the choice
	if err != nil || len(changed) != 0 || !i.UpdatedAt.Equal(before.UpdatedAt) {
		t.Error(changed, err)
	}
}

func TestChoosingAnotherDayThanTheDeskIsAConflict(t *testing.T) {
	l := berlinLocation(t)
	i := annasItem(t, l)
	if _, err := i.MoveTo(lost.Move{To: lost.PickUp, PickupDate: lost.Set("2026-11-18"), PickupTime: lost.Set("12:00")},
		lost.ByKey, noon); err != nil {
		t.Fatal(err)
	}
	choose := func(day string) error {
		_, err := i.Choose(lost.ChoicePatch{
			Choice: lost.ChoosePickUp, PickupDate: lost.Set(day), PickupTime: lost.Set("12:00"),
		}, l, noon)
		return err
	}
	if err := choose("2026-11-25"); lost.CodeOf(err) != lost.Conflict || i.Pickup.Date != "2026-11-18" {
		t.Error(err, i.Pickup)
	}
	if err := choose("2026-11-18"); err != nil {
		t.Error(err)
	}
}

func TestOtherChoicesClearTheAddress(t *testing.T) {
	l := berlinLocation(t)
	i := annasItem(t, l)
	i.Status, i.Shipping.Recipient = lost.InfoCompleted, lost.Recipient{Name: "Anna", Country: "DE"}
	if changed, err := i.Choose(lost.ChoicePatch{Choice: lost.ChooseDonate}, l, noon); err != nil ||
		i.Shipping.Recipient.Known() || !slices.Contains(changed, "shipping.recipient") {
		t.Error(changed, err, i.Shipping.Recipient)
	}
}

func TestAnOldBrowserTabCannotOverwriteAChoice(t *testing.T) {
	l := berlinLocation(t)
	i := annasItem(t, l)
	if _, err := i.Choose(lost.ChoicePatch{Choice: lost.ChooseDonate, Seen: lost.Pending}, l, noon); err != nil {
		t.Fatal(err)
	}
	_, err := i.Choose(lost.ChoicePatch{Choice: lost.ChooseLeave, Seen: lost.Pending}, l, noon)
	if lost.CodeOf(err) != lost.Conflict || i.Status != lost.Donate {
		t.Error(err, i.Status)
	}
	if _, err := i.Choose(lost.ChoicePatch{Choice: lost.ChooseLeave, Seen: lost.Donate}, l, noon); err != nil ||
		i.Status != lost.Discard {
		t.Error(err, i.Status)
	}
	pickUp := func(seen lost.Status, day string) error {
		_, err := i.Choose(lost.ChoicePatch{
			Choice: lost.ChoosePickUp, Seen: seen, PickupDate: lost.Set(day), PickupTime: lost.Set("12:00"),
		}, l, noon)
		return err
	}
	if err := pickUp(lost.Discard, "2026-11-18"); err != nil {
		t.Fatal(err)
	}
	if err := pickUp(lost.Pending, "2026-11-20"); lost.CodeOf(err) != lost.Conflict || i.Pickup.Date != "2026-11-18" {
		t.Errorf("another day from an old tab: %v, %+v", err, i.Pickup)
	}
	if err := pickUp(lost.PickUp, "2026-11-20"); err != nil || i.Pickup.Date != "2026-11-20" {
		t.Errorf("another day: %v, %+v", err, i.Pickup)
	}
}

func TestControlCharactersAreRefused(t *testing.T) {
	_, err := lost.NewRequest("acc_1", "loc_1", lost.RequestPatch{
		Description: lost.Set("x\xff"), LostPlace: lost.Set("\xfe"),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("a\xff@example.com")}),
	}, noon)
	if got := faults(err); !slices.Equal(got,
		[]string{"description control-character", "owner.email invalid-email", "lostPlace control-character"}) {
		t.Errorf("%q", got)
	}
}

func TestARequestIsDecidedOnce(t *testing.T) {
	file := func() lost.Item {
		r, err := lost.NewRequest("acc_1", "loc_1", lost.RequestPatch{
			Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Phone: lost.Set("+49 30 901820")}),
			Language: lost.Set("de"),
		}, noon)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	l := berlinLocation(t)
	found := annasItem(t, l)
	found.Owner = lost.Owner{}
	r := file()
	if err := r.Match(&found, noon); err != nil || r.Claim.State != lost.RequestMatched || found.Owner != r.Owner ||
		found.Language != "de" || r.Claim.MatchedItemID != found.ID {
		t.Errorf("%v: %+v", err, r.Claim)
	}
	if err := r.Reject("", noon); lost.CodeOf(err) != lost.Conflict {
		t.Error(err)
	}
	other := annasItem(t, l) // belongs to Anna
	r = file()
	if err := r.Match(&other, noon); lost.CodeOf(err) != lost.Conflict || r.Claim.State != lost.RequestPending ||
		other.Owner.Email == "" {
		t.Errorf("match with an item of another owner: got %v, want a conflict", err)
	}
	donated := found
	donated.Status = lost.Donate
	if err := r.Match(&donated, noon); lost.CodeOf(err) != lost.Conflict {
		t.Error(err)
	}
	if changed, err := r.Withdraw(noon); !changed || err != nil {
		t.Error(changed, err)
	}
	if changed, err := r.Withdraw(noon); changed || err != nil {
		t.Error(changed, err)
	}
	if err := r.Match(&found, noon); lost.CodeOf(err) != lost.Conflict {
		t.Error(err)
	}
}

func TestARequestNeedsADescriptionAndAWayToReachTheClaimant(t *testing.T) {
	_, err := lost.NewRequest("acc_1", "loc_1", lost.RequestPatch{LostDate: lost.Set("2026-11-17")}, noon)
	if got := faults(err); !slices.Equal(got,
		[]string{"description required", "lostDate future", "owner.email required"}) {
		t.Errorf("%q", got)
	}
}

func TestLanguageTagsAreAcceptedInAnyCase(t *testing.T) {
	for tag, want := range map[string]string{
		"DE": "de", "pt-br": "pt-BR", "zh-hans-cn": "zh-Hans-CN", "gsw": "gsw", "de-1996": "de-1996",
		"": "", "d": "", "german": "", "de_AT": "", "de-": "", "de-toolongpart": "", "dé": "", "12": "",
	} {
		if got, ok := lost.ParseLanguage(tag); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t", tag, got, ok)
		}
	}
}

func TestOwnerStateWithoutRemindersChangesAfterAWeek(t *testing.T) {
	i := annasItem(t, berlinLocation(t))
	notice := lost.NewMessage(lost.NoticeMessage, i, "notice", noon)
	schedule := lost.ReminderSchedule{BeforeStoreUntil: []int{3}}
	state, next := schedule.OwnerState(i, []lost.Message{notice}, noon)
	if state != lost.OwnerTold || !next.IsZero() {
		t.Errorf("while the notice waits: %q, next %s", state, next)
	}
	notice.State, notice.SettledAt = lost.MessageSaved, noon
	if state, next = schedule.OwnerState(i, []lost.Message{notice}, noon); state != lost.NoOwner || !next.IsZero() {
		t.Errorf("while the notice is only saved: %q, next %s", state, next)
	}
	notice.State, notice.SettledAt = lost.MessageSent, noon
	state, next = schedule.OwnerState(i, []lost.Message{notice}, noon)
	want := noon.AddDate(0, 0, 7).Format(time.DateOnly)
	if state != lost.OwnerTold || next.Format(time.DateOnly) != want {
		t.Errorf("after the notice: %q, next %s", state, next)
	}
	if state, next = schedule.OwnerState(i, []lost.Message{notice}, next); state != lost.NoAnswer || !next.IsZero() {
		t.Errorf("a week later: %q, next %s", state, next)
	}
}

func TestTasksOfTheDesk(t *testing.T) {
	l := berlinLocation(t)
	day := 24 * time.Hour
	for _, c := range []struct {
		name string
		item func(i *lost.Item)
		at   time.Time
		want []lost.TaskKind
	}{
		{"new", func(*lost.Item) {}, noon, nil},
		{"the last day", func(*lost.Item) {}, noon.Add(10 * day), nil},
		{"after the last day", func(*lost.Item) {}, noon.Add(11 * day), []lost.TaskKind{lost.OverdueTask}},
		{"paid", func(i *lost.Item) { i.Status = lost.FeePaid }, noon, []lost.TaskKind{lost.ShipTask}},
		{"shipped", func(i *lost.Item) { i.Status = lost.Shipped }, noon.Add(99 * day), nil},
		{"to ship", func(i *lost.Item) { i.Status = lost.InfoCompleted }, noon, []lost.TaskKind{lost.ShippingTask}},
		{"not theirs", func(i *lost.Item) { i.DisownedAt = noon }, noon, []lost.TaskKind{lost.DisownedTask}},
		{"to be collected", func(i *lost.Item) {
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-16", Planned: true}
		}, noon, []lost.TaskKind{lost.NextPickupTask}},
		{"to be collected in a week and a day", func(i *lost.Item) {
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-23", Planned: true}
		}, noon, []lost.TaskKind{lost.NextPickupTask}},
		{"to be collected later", func(i *lost.Item) {
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-24", Planned: true}
		}, noon, nil},
		{"collected today", func(i *lost.Item) {
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-16", Planned: true}
		}, noon.Add(day), []lost.TaskKind{lost.PickupTask}},
		{"not collected", func(i *lost.Item) {
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-16", Planned: true}
		}, noon.Add(2 * day), []lost.TaskKind{lost.MissedTask}},
		{"collected", func(i *lost.Item) {
			i.Status, i.Pickup, i.ClosedAt = lost.PickUp, lost.Pickup{Date: "2026-11-16", Planned: true}, noon
		}, noon.Add(2 * day), nil},
		{"recorded afterwards", func(i *lost.Item) {
			i.Status, i.Pickup = lost.PickUp, lost.Pickup{Date: "2026-11-15"}
		}, noon.Add(2 * day), nil},
		{"a request", func(i *lost.Item) {
			i.Source, i.Claim.State = lost.Request, lost.RequestPending
		}, noon, []lost.TaskKind{lost.AnswerTask}},
		{"a decided request", func(i *lost.Item) {
			i.Source, i.Claim.State = lost.Request, lost.RequestRejected
		}, noon, nil},
	} {
		i := annasItem(t, l)
		c.item(&i)
		if got, _ := i.Tasks(false, c.at); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got, _ := annasItem(t, l).Tasks(true, noon); !slices.Equal(got, []lost.TaskKind{lost.UnreachableTask}) {
		t.Errorf("unreachable: %q", got)
	}
}

func TestDeliveryProblemIsThatOfTheLastFinishedMessage(t *testing.T) {
	i := lost.Item{Owner: lost.Owner{Email: "anna@example.com"}}
	m := func(state lost.MessageState, to, why string) lost.Message {
		return lost.Message{State: state, To: to, Error: why}
	}
	failed, sent := m(lost.MessageFailed, "anna@example.com", "no such mailbox"),
		m(lost.MessageSent, "anna@example.com", "")
	waiting, canceled := m(lost.MessageWaiting, "anna@example.com", ""), m(lost.MessageCanceled, "anna@example.com", "")
	for name, c := range map[string]struct {
		newestFirst []lost.Message
		why         string
	}{
		"no messages": {nil, ""},
		"failed":      {[]lost.Message{failed, sent}, "no such mailbox"},
		"the reason is missing": {[]lost.Message{m(lost.MessageFailed, "anna@example.com", "")},
			"The reason is not known."},
		"a later one was sent":     {[]lost.Message{sent, failed}, ""},
		"another one is waiting":   {[]lost.Message{waiting, canceled, failed}, "no such mailbox"},
		"sent to a former owner":   {[]lost.Message{m(lost.MessageFailed, "ben@example.com", "full")}, ""},
		"the first one is waiting": {[]lost.Message{waiting}, ""},
	} {
		if why, is := i.Owner.DeliveryProblem(c.newestFirst); why != c.why || is != (c.why != "") {
			t.Errorf("%s: %q, %t", name, why, is)
		}
	}
}

func TestOwnerIsNotifiedWhileThereIsAChoice(t *testing.T) {
	unknown, delivered := lost.Item{Source: lost.Found, Status: lost.Pending},
		lost.Item{Source: lost.Found, Status: lost.Delivered}
	if !unknown.WouldNotifyOwner() || unknown.NotifiesOwner() || delivered.WouldNotifyOwner() {
		t.Errorf("%t, %t, %t", unknown.WouldNotifyOwner(), unknown.NotifiesOwner(), delivered.WouldNotifyOwner())
	}
}

func TestWhoReplacesAGuest(t *testing.T) {
	alice := lost.Owner{FirstName: "Alice", LastName: "A", Email: "alice@example.com", Phone: "+48221234567"}
	for name, c := range map[string]struct {
		was, is  lost.Owner
		usedLink bool
		want     bool
	}{
		"nobody before":                 {was: lost.Owner{FirstName: "Alice"}, is: alice},
		"removed":                       {was: alice, want: true},
		"same address, other name":      {was: alice, is: lost.Owner{FirstName: "Al", Email: "ALICE@example.com"}},
		"new address, same phone":       {was: alice, is: lost.Owner{"Alice", "A", "al@example.com", alice.Phone}},
		"new address, name, same phone": {alice, lost.Owner{"Bob", "B", "bob@example.com", alice.Phone}, false, true},
		"corrected address":             {was: alice, is: lost.Owner{"Alice", "A", "al@example.com", ""}},
		"corrected address, used link":  {alice, lost.Owner{"Alice", "A", "al@example.com", ""}, true, true},
		"another person":                {alice, lost.Owner{"Bob", "B", "bob@example.com", ""}, false, true},
	} {
		before := lost.Item{Source: lost.Found, Owner: c.was}
		if c.usedLink {
			before.MovedBy = lost.ByGuest
		}
		if got := lost.ReplacesGuest(before, lost.Item{Source: lost.Found, Owner: c.is}); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
