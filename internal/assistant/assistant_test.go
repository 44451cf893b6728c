package assistant_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/assistant"
	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/media"
	"homeward/internal/openai"
	"homeward/internal/openai/openaitest"
	"homeward/internal/outbox"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
	"homeward/internal/vision"
)

// desk is a location with the photo assistant, which asks a test server, and with background jobs.
type desk struct {
	*testkit.Fixture
	server   *openaitest.Server
	outbox   *outbox.Outbox
	outcomes []assistant.Outcome
	log      bytes.Buffer
	onSave   func() // called in the transaction that stores a suggestion, before it does
}

// savedDescriber calls onSave: only what is stored has the name of the model.
type savedDescriber struct {
	assistant.Describer
	desk *desk
}

func (s savedDescriber) Model() string {
	if save := s.desk.onSave; save != nil {
		s.desk.onSave = nil
		save()
	}
	return s.Describer.Model()
}

const umbrella = `{"containsFace": false, "identityPaper": false, "category": "umbrella", "colors": ["blue"],
	"brand": "Knirps", "model": "", "text": "Grand Hotel", "description": "A blue umbrella with white dots."}`

// each runs fn on every database with the assistant switched on and at most limit photos a day.
func each(t *testing.T, limit int, fn func(d *desk)) {
	t.Helper()
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := &desk{server: openaitest.New(t)}
		d.server.Answer(func(openaitest.Photo) string { return umbrella })
		model := testkit.Must(vision.New(openai.Options{
			URL: d.server.URL, Model: openaitest.VisionModel, Key: openaitest.Key,
		}))
		files := testkit.Must(media.Open(t.Context(), t.TempDir()))
		uploads, documents, saved := app.NewFileStores(files, media.NewProcessor(t.TempDir()))
		s := testkit.NewServices(db, clock, func(o *services.Options) {
			o.Uploads, o.Files, o.SavedFiles = uploads, documents, saved
			o.Describer, o.ReducedPhotos, o.PhotosPerDay = savedDescriber{model, d}, uploads.(assistant.Photos), limit
			o.ObservePhoto = func(what assistant.Outcome) { d.outcomes = append(d.outcomes, what) }
			o.Log = slog.New(slog.NewTextHandler(&d.log, nil))
		})
		d.Fixture = &testkit.Fixture{T: t, DB: db, Clock: clock, Services: s}
		d.Actor = testkit.CreateFirstAccount(t, s)
		d.Location = d.NewLocation(testkit.LocationNamed("Hotel Adler"))
		d.outbox = outbox.New(outbox.Options{
			DB: db, Images: s.Items, Matching: s.Matcher, Assistant: s.Assistant, Files: uploads.(outbox.Files),
			Log: slog.New(slog.DiscardHandler),
		})
		d.switchOn()
		fn(d)
	})
}

func (d *desk) switchOn() {
	d.T.Helper()
	testkit.Must(0, d.Services.Assistant.SwitchOn(d.T.Context(), d.Actor, d.Location.ID, d.server.Host()))
}

// jpegPhoto returns a photo.
func jpegPhoto() []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 1600, 1200)), nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// add adds a photo to an item.
func (d *desk) add(i lost.Item) lost.Item {
	d.T.Helper()
	return testkit.Must(d.Services.Items.UploadImage(d.T.Context(), d.Actor, i.LocationID, i.ID,
		bytes.NewReader(jpegPhoto()), lost.IdempotencyKey{}))
}

// run runs all jobs, including those that are due within the next hours.
func (d *desk) run() {
	d.T.Helper()
	for range 10 {
		n, err := d.outbox.RunOnce(d.T.Context())
		if err != nil {
			d.T.Fatal(err)
		}
		if n == 0 {
			d.Clock.Advance(10 * time.Minute)
		}
	}
}

// verify runs the jobs that verify photos, which add the jobs that describe them, and returns how many were added.
func (d *desk) verify() (added int) {
	d.T.Helper()
	d.Clock.Advance(time.Second)
	for _, job := range d.claim(store.JobVerifyImage) {
		photo := testkit.Must(job.AddedImage())
		testkit.Must(0, d.Services.Items.VerifyImage(d.T.Context(), job.Account, photo))
		if testkit.Must(d.Services.Assistant.PhotoAdded(d.T.Context(), job.Account, photo)) {
			added++
		}
		testkit.Must(0, d.DB.Write(d.T.Context(), func(tx *store.Tx) error { return tx.FinishJob(job) }))
	}
	return added
}

// claim claims the due jobs of a kind for a minute.
func (d *desk) claim(kind string) (jobs []store.Job) {
	d.T.Helper()
	testkit.Must(0, d.DB.Write(d.T.Context(), func(tx *store.Tx) (err error) {
		jobs, err = tx.ClaimJobs([]string{kind}, 10, time.Minute)
		return err
	}))
	return jobs
}

// suggested returns what is suggested for an item.
func (d *desk) suggested(i lost.Item) photo.Facts {
	d.T.Helper()
	i = testkit.Must(d.DB.Item(d.T.Context(), i.Account, i.LocationID, i.ID))
	f, _, err := d.Services.Assistant.Suggested(d.T.Context(), d.Actor, i)
	if err != nil {
		d.T.Fatal(err)
	}
	return f
}

// stored returns the number of stored suggestions for an item.
func (d *desk) stored(i lost.Item) int {
	d.T.Helper()
	return len(testkit.Must(d.DB.PhotoSuggestions(d.T.Context(), i.Account, i.ID)))
}

func (d *desk) wantOutcomes(want ...assistant.Outcome) {
	d.T.Helper()
	if !slices.Equal(d.outcomes, want) {
		d.T.Errorf("the outcomes are %v, want %v", d.outcomes, want)
	}
	d.outcomes = nil
}

func TestAPhotoIsDescribedAndNothingIsWritten(t *testing.T) {
	each(t, 100, func(d *desk) {
		before := d.NewItem(testkit.ItemDescribed("Umbrella from the lobby"))
		d.add(before)
		d.run()
		f := d.suggested(before)
		if f.Category != lost.UmbrellaCategory || f.Brand != "Knirps" || f.Text != "Grand Hotel" ||
			!slices.Equal(f.Colors, []photo.Color{"blue"}) || f.Description == "" {
			t.Errorf("got %+v", f)
		}
		i := testkit.Must(d.DB.Item(t.Context(), before.Account, before.LocationID, before.ID))
		if i.Category != "" || i.Brand != "" || i.Color != "" || i.Description != before.Description {
			t.Errorf("the item was changed: %+v", i)
		}
		p := d.server.Photos()
		if len(p) != 1 {
			t.Fatalf("%d photos were sent", len(p))
		}
		m, err := jpeg.Decode(bytes.NewReader(p[0].JPEG))
		if err != nil || max(m.Bounds().Dx(), m.Bounds().Dy()) > media.MaxReducedSide {
			t.Errorf("the photo that was sent: %v, %v", err, m)
		}
		for _, secret := range []string{i.ID, i.Reference, "lobby", "Hotel Adler", d.Actor.Account} {
			if strings.Contains(p[0].Body, secret) {
				t.Errorf("the request contains %q", secret)
			}
		}
		d.wantOutcomes(assistant.Stored)
	})
}

func TestPhotosAreSentOnlyWhereSomebodyAgreedToTheHost(t *testing.T) {
	each(t, 100, func(d *desk) {
		ctx, a := t.Context(), d.Services.Assistant
		other := d.NewLocation(testkit.LocationNamed("Hotel Bär"))
		i := testkit.Must(d.Services.Items.Create(ctx, d.Actor, other.ID, testkit.ItemDescribed("Umbrella"),
			lost.IdempotencyKey{}))
		d.add(i)
		d.run()
		if n := len(d.server.Photos()); n != 0 {
			t.Errorf("%d photos of a location without the assistant were sent", n)
		}
		if err := a.SwitchOn(ctx, d.Actor, other.ID, "another.example"); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("agreeing to another host: %v", err)
		}
		viewer := d.Person("usr_1", lost.DeskRole)
		if err := a.SwitchOn(ctx, viewer, other.ID, d.server.Host()); lost.CodeOf(err) != lost.Forbidden {
			t.Errorf("a member of the desk switched it on: %v", err)
		}
		// The operator changes the host: nobody has agreed to that one.
		testkit.Must(0, d.DB.Write(ctx, func(tx *store.Tx) error {
			return tx.SavePhotoAssistant(photo.Setting{
				Account: d.Actor.Account, LocationID: d.Location.ID, Host: "former.example", EnabledAt: tx.Now(),
			})
		}))
		s := testkit.Must(a.Settings(ctx, d.Actor, d.Location.ID))
		if s.On || s.Agreed.Host != "former.example" || s.Host != d.server.Host() {
			t.Errorf("the settings are %+v", s)
		}
		d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		d.run()
		if n := len(d.server.Photos()); n != 0 {
			t.Errorf("%d photos were sent to a host that nobody agreed to", n)
		}
		d.wantOutcomes()
	})
}

func TestSwitchingOffDeletesSuggestionsAndIsAudited(t *testing.T) {
	each(t, 100, func(d *desk) {
		i := d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		waiting := d.NewItem(testkit.ItemDescribed("Another umbrella"))
		d.run()
		d.add(waiting)
		if d.verify() != 1 {
			t.Fatal("no job was added")
		}
		testkit.Must(0, d.Services.Assistant.SwitchOff(t.Context(), d.Actor, d.Location.ID))
		d.run()
		if d.stored(i) != 0 || d.stored(waiting) != 0 || len(d.server.Photos()) != 1 {
			t.Errorf("%d and %d suggestions are left, %d photos were sent", d.stored(i), d.stored(waiting),
				len(d.server.Photos()))
		}
		s := testkit.Must(d.Services.Assistant.Settings(t.Context(), d.Actor, d.Location.ID))
		if s.On || s.Agreed.Host != "" {
			t.Errorf("the settings are %+v", s)
		}
		for _, action := range []lost.AuditAction{lost.PhotoAssistantOn, lost.PhotoAssistantOff} {
			log := testkit.Must(d.DB.Audit(t.Context(), d.Actor.Account, lost.AuditFilter{
				Action: action, PageCursor: lost.PageCursor{Limit: 10},
			})).Data
			if len(log) != 1 || log[0].Subject != d.Location.ID || log[0].Note != d.server.Host() {
				t.Errorf("%s: %+v", action, log)
			}
		}
	})
}

func TestFacesAndIdentityPapersAreNeverStored(t *testing.T) {
	each(t, 100, func(d *desk) {
		for _, answer := range []string{
			strings.Replace(umbrella, `"containsFace": false`, `"containsFace": true`, 1),
			strings.Replace(umbrella, `"identityPaper": false`, `"identityPaper": true`, 1),
			strings.Replace(umbrella, `"umbrella"`, `"passport"`, 1),
		} {
			d.server.Answer(func(openaitest.Photo) string { return answer })
			i := d.add(d.NewItem(testkit.ItemDescribed("Black bag")))
			d.run()
			if d.stored(i) != 0 {
				t.Errorf("after %s, something is stored", answer)
			}
			d.wantOutcomes(assistant.Discarded)
		}
		d.server.Answer(func(openaitest.Photo) string { return `{"containsFace": false, "identityPaper": false}` })
		if i := d.add(d.NewItem(testkit.ItemDescribed("Black bag"))); d.stored(i) != 0 {
			t.Error("an empty answer is stored")
		}
		d.run()
		d.wantOutcomes(assistant.Nothing)
	})
}

func TestPhotosOfIdentityPapersAreNeverSent(t *testing.T) {
	each(t, 100, func(d *desk) {
		for _, patch := range []lost.ItemPatch{
			{Description: lost.Set("Geldbörse mit Personalausweis")},
			{Description: lost.Set("Case"), Notes: lost.Set("a passport is inside")},
			{Description: lost.Set("黒い財布とパスポート")},
			{Description: lost.Set("Something"), Category: lost.Set(string(lost.CardCategory))},
			{Description: lost.Set("Something")}, // nobody has said what it is
		} {
			i := d.NewItem(testkit.ItemDescribed("Umbrella"))
			d.add(testkit.Must(d.Services.Items.Update(t.Context(), d.Actor, i.LocationID, i.ID, patch)))
			d.run()
			if d.stored(i) != 0 || len(d.server.Photos()) != 0 {
				t.Fatalf("the photo of %+v was sent, or suggestions for it were stored", patch)
			}
		}
	})
}

// A client program adds the photo first, and says later what it is.
func TestAPhotoWaitsForNothingAndIsNotSentBeforeSomebodySaysWhatItIs(t *testing.T) {
	each(t, 100, func(d *desk) {
		for _, c := range []lost.Category{lost.PassportCategory, lost.UmbrellaCategory} {
			i := d.add(d.NewItem(testkit.ItemDescribed("Something")))
			d.run()
			testkit.Must(d.Services.Items.Update(t.Context(), d.Actor, i.LocationID, i.ID,
				lost.ItemPatch{Category: lost.Set(string(c))}))
			d.run()
			if n := len(d.server.Photos()); n != 0 {
				t.Errorf("%s: %d photos were sent", c, n)
			}
			d.add(i)
			d.run()
		}
		if n := len(d.server.Photos()); n != 1 {
			t.Errorf("%d photos were sent, want only the second one of the umbrella", n)
		}
	})
}

// An item becomes an identity paper before its photo is sent, while the model is looking at it, or afterwards.
func TestAnItemThatBecomesAnIdentityPaperHasNoSuggestions(t *testing.T) {
	each(t, 100, func(d *desk) {
		change := func(i lost.Item) {
			testkit.Must(d.Services.Items.Update(t.Context(), d.Actor, i.LocationID, i.ID,
				lost.ItemPatch{Category: lost.Set(string(lost.PassportCategory))}))
		}
		before := d.add(d.NewItem(testkit.ItemDescribed("Black bag")))
		if d.verify() != 1 {
			t.Fatal("no job was added")
		}
		change(before)
		d.run()
		if d.stored(before) != 0 || len(d.server.Photos()) != 0 {
			t.Error("the photo of a passport was sent, or suggestions for it were stored")
		}
		d.outcomes = nil
		during := d.NewItem(testkit.ItemDescribed("Black bag"))
		d.server.OnCall(func(string) { change(during) })
		d.add(during)
		d.run()
		d.server.OnCall(nil)
		if d.stored(during) != 0 {
			t.Error("suggestions for a passport were stored")
		}
		d.wantOutcomes(assistant.Skipped)
		after := d.add(d.NewItem(testkit.ItemDescribed("Black bag")))
		d.run()
		if d.stored(after) != 1 {
			t.Fatal("there is no suggestion")
		}
		testkit.Must(d.Services.Items.Update(t.Context(), d.Actor, after.LocationID, after.ID,
			lost.ItemPatch{Notes: lost.Set("There is a driving licence in it.")}))
		if d.stored(after) != 0 || !d.suggested(after).Empty() {
			t.Error("suggestions for an item with a driving licence are still stored")
		}
	})
}

func TestTheDailyLimitHolds(t *testing.T) {
	each(t, 2, func(d *desk) {
		for range 3 {
			d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		}
		for range 4 { // without the hours that run lets pass
			d.Clock.Advance(time.Second)
			testkit.Must(d.outbox.RunOnce(t.Context()))
		}
		if n := len(d.server.Photos()); n != 2 {
			t.Errorf("%d photos were sent, want 2", n)
		}
		slices.Sort(d.outcomes)
		d.wantOutcomes(assistant.Limited, assistant.Stored, assistant.Stored)
		s := testkit.Must(d.Services.Assistant.Settings(t.Context(), d.Actor, d.Location.ID))
		if s.Sent != 2 || s.Limit != 2 {
			t.Errorf("the settings are %+v", s)
		}
		d.Clock.Advance(24 * time.Hour)
		d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		d.run()
		if n := len(d.server.Photos()); n != 3 {
			t.Errorf("%d photos were sent by the next day, want 3", n)
		}
	})
}

// A server that refuses the form of the request gets the photo in another one. Every request counts.
func TestRefusedFormsCountTowardsTheDailyLimit(t *testing.T) {
	each(t, 4, func(d *desk) {
		d.server.Refuse(func(body string) bool { return strings.Contains(body, `"response_format"`) })
		for range 3 {
			d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
			for range 6 { // less than a day, until all attempts were made
				d.Clock.Advance(time.Minute)
				testkit.Must(d.outbox.RunOnce(t.Context()))
			}
		}
		d.wantOutcomes(assistant.Retried, assistant.Retried, assistant.Stored, assistant.Stored, assistant.Limited)
		s := testkit.Must(d.Services.Assistant.Settings(t.Context(), d.Actor, d.Location.ID))
		if d.server.Calls() != 4 || s.Sent != 4 {
			t.Errorf("%d requests were sent and %d counted, want 4", d.server.Calls(), s.Sent)
		}
	})
}

// Whatever the server does, the photo is in place, the job ends and the item has no suggestions.
func TestFailuresOfTheModelLeaveOnlyTheSuggestionsMissing(t *testing.T) {
	failures := map[string]struct {
		failure  openaitest.Failure
		attempts int
	}{
		"an error":          {openaitest.Failure{Status: http.StatusInternalServerError}, 3},
		"a cut connection":  {openaitest.Failure{Cut: true}, 3},
		"too many requests": {openaitest.Failure{Status: http.StatusTooManyRequests}, 3},
		"a wrong key":       {openaitest.Failure{Status: http.StatusUnauthorized}, 1},
		"garbage":           {openaitest.Failure{Body: "<html>"}, 1},
		"an endless answer": {openaitest.Failure{Endless: true}, 1},
		"nonsense":          {openaitest.Failure{Body: `{"choices":[{"message":{"content":"A cat!"}}]}`}, 1},
	}
	each(t, 100, func(d *desk) {
		for name, c := range failures {
			calls := d.server.Calls()
			d.server.Fail(&c.failure)
			i := d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
			d.run()
			i = testkit.Must(d.DB.Item(t.Context(), i.Account, i.LocationID, i.ID))
			if len(i.Images) != 1 || d.stored(i) != 0 {
				t.Errorf("%s: %d photos, %d suggestions", name, len(i.Images), d.stored(i))
			}
			if n := d.server.Calls() - calls; n != c.attempts {
				t.Errorf("%s: %d requests, want %d", name, n, c.attempts)
			}
			want := append(slices.Repeat([]assistant.Outcome{assistant.Retried}, c.attempts-1), assistant.Failed)
			d.wantOutcomes(want...)
			due, failed, err := d.DB.CountJobs(t.Context())
			if due+failed != 0 {
				t.Errorf("%s: %d jobs are due, %d have failed, %v", name, due, failed, err)
			}
		}
		if !strings.Contains(d.log.String(), "photo assistant failed") || strings.Contains(d.log.String(), "A cat") {
			t.Errorf("the log is %s", d.log.String())
		}
		d.server.Fail(nil)
		if i := d.add(d.NewItem(testkit.ItemDescribed("Umbrella"))); d.stored(i) != 0 {
			t.Error("a suggestion exists already")
		}
		d.run()
		d.wantOutcomes(assistant.Stored)
	})
}

// A service that is killed while the model is looking at a photo sends the photo again, but not for ever.
func TestAPhotoOfAKilledServiceIsSentAFewTimesOnly(t *testing.T) {
	each(t, 100, func(d *desk) {
		d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		d.verify()
		d.server.Fail(&openaitest.Failure{Cut: true})
		sent := 0
		for range 5 {
			jobs := d.claim(store.JobDescribePhoto)
			if len(jobs) == 0 {
				break
			}
			p := testkit.Must(jobs[0].DescribedPhoto())
			err := d.Services.Assistant.Describe(t.Context(), d.Actor.Account, p, jobs[0].Attempt)
			if err == nil { // the job would end here
				testkit.Must(0, d.DB.Write(t.Context(), func(tx *store.Tx) error { return tx.FinishJob(jobs[0]) }))
			}
			sent++
			d.Clock.Advance(2 * time.Minute) // the lease ends
		}
		if sent != 3 || d.server.Calls() != 3 {
			t.Errorf("the photo was sent %d times in %d requests, want 3", sent, d.server.Calls())
		}
	})
}

func TestSuggestionsEndWithTheirPhotoAndTheirItem(t *testing.T) {
	each(t, 100, func(d *desk) {
		i := d.add(d.add(d.NewItem(testkit.ItemDescribed("Umbrella"))))
		d.run()
		if d.stored(i) != 2 {
			t.Fatalf("%d suggestions, want 2", d.stored(i))
		}
		testkit.Must(d.Services.Items.RemoveImage(t.Context(), d.Actor, i.LocationID, i.ID, i.Images[0].ID()))
		if d.stored(i) != 1 {
			t.Errorf("%d suggestions after one of two photos was removed", d.stored(i))
		}
		testkit.Must(0, d.Services.Assistant.Dismiss(t.Context(), d.Actor, i.LocationID, i.ID))
		if d.stored(i) != 0 {
			t.Error("suggestions that were dismissed are still stored")
		}
		d.add(i)
		d.run()
		testkit.Must(0, d.Services.Items.Delete(t.Context(), d.Actor, i.LocationID, i.ID))
		if d.stored(i) != 0 {
			t.Error("suggestions for a deleted item are still stored")
		}
	})
}

func TestOnlyThoseWhoMayChangeTheItemSeeSuggestions(t *testing.T) {
	each(t, 100, func(d *desk) {
		i := d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		d.run()
		for role, sees := range map[lost.Role]bool{
			lost.DeskRole: true, lost.LoggerRole: false, lost.ViewerRole: false,
		} {
			f, _, err := d.Services.Assistant.Suggested(t.Context(), d.Person("usr_1", role), i)
			if err != nil || f.Empty() == sees {
				t.Errorf("%s: %+v, %v", role, f, err)
			}
		}
	})
}

// A suggestion that is left behind, or that another host has made, is not shown.
func TestSuggestionsAreShownOnlyWhileTheAssistantIsOn(t *testing.T) {
	each(t, 100, func(d *desk) {
		i := d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		d.run()
		for name, change := range map[string]func(tx *store.Tx) error{
			"it is off": func(tx *store.Tx) error { return tx.DeletePhotoAssistant(i.Account, i.LocationID) },
			"another host is agreed to": func(tx *store.Tx) error {
				return tx.SavePhotoAssistant(photo.Setting{
					Account: i.Account, LocationID: i.LocationID, Host: "former.example", EnabledAt: tx.Now(),
				})
			},
		} {
			if d.suggested(i).Empty() {
				t.Fatal("there is no suggestion")
			}
			testkit.Must(0, d.DB.Write(t.Context(), change))
			if d.stored(i) != 1 || !d.suggested(i).Empty() {
				t.Errorf("%d suggestions are stored, and although %s, the page shows one", d.stored(i), name)
			}
			d.switchOn()
		}
	})
}

// Switching the assistant off waits for a suggestion that is being stored, and then deletes it.
func TestSwitchingOffLeavesNoSuggestionBehind(t *testing.T) {
	each(t, 100, func(d *desk) {
		i := d.add(d.NewItem(testkit.ItemDescribed("Umbrella")))
		if d.verify() != 1 {
			t.Fatal("no job was added")
		}
		waited := false
		d.onSave = func() {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			waited = d.Services.Assistant.SwitchOff(ctx, d.Actor, i.LocationID) != nil
		}
		d.run()
		if !waited || d.stored(i) != 1 {
			t.Fatalf("switching off waited: %t; %d suggestions are stored", waited, d.stored(i))
		}
		testkit.Must(0, d.Services.Assistant.SwitchOff(t.Context(), d.Actor, i.LocationID))
		if d.stored(i) != 0 {
			t.Error("a suggestion was left behind")
		}
	})
}

// A failing database is no failure of the model: the job is repeated.
func TestOtherErrorsAreReturned(t *testing.T) {
	each(t, 100, func(d *desk) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := d.Services.Assistant.Describe(ctx, d.Actor.Account,
			store.DescribedPhoto{Location: d.Location.ID, Item: "item_1", File: "a.jpg"}, 5)
		if err == nil || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
	})
}
