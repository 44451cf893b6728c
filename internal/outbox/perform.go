package outbox

import (
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

func (o *Outbox) deleteFiles(ctx context.Context, job store.Job) error {
	names, err := job.Arguments()
	if err != nil {
		return err
	}
	return o.files.Delete(ctx, names...)
}

func (o *Outbox) makeThumbnail(ctx context.Context, job store.Job) error {
	err := o.files.Thumbnail(ctx, job.Payload)
	if lost.CodeOf(err) == lost.NotFound { // the picture was deleted in the meantime
		return nil
	}
	return err
}

// verifyImage verifies a photo that was added to an item.
func (o *Outbox) verifyImage(ctx context.Context, job store.Job) error {
	added, err := job.AddedImage()
	if err != nil {
		return lost.E(lost.Invalid, "The job does not specify an image.").WithCause(err)
	}
	if err := o.images.VerifyImage(ctx, job.Account, added); err != nil || o.assistant == nil {
		return err
	}
	described, err := o.assistant.PhotoAdded(ctx, job.Account, added)
	if described {
		o.notifyPools(visionPool)
	}
	return err
}

func (o *Outbox) describePhoto(ctx context.Context, job store.Job) error {
	p, err := job.DescribedPhoto()
	if err != nil {
		return lost.E(lost.Invalid, "The job does not specify a photo.").WithCause(err)
	}
	return o.assistant.Describe(ctx, job.Account, p, job.Attempt)
}

func (o *Outbox) endClearance(ctx context.Context, job store.Job) error {
	return continueIf(o.clearances.CarryOutDecision(ctx, job.Account, job.Payload))
}

func (o *Outbox) suggestCategories(ctx context.Context, job store.Job) error {
	return continueIf(o.categories.Continue(ctx, job.Account, job.Payload))
}

func (o *Outbox) ship(ctx context.Context, job store.Job) error {
	return continueIf(o.shipments.Ship(ctx, job.Account, job.Payload))
}

func (o *Outbox) refund(ctx context.Context, job store.Job) error {
	return continueIf(o.shipments.RefundShipment(ctx, job.Account, job.Payload))
}

func (o *Outbox) refundPayment(ctx context.Context, job store.Job) error {
	owed, err := job.Arguments()
	if err != nil {
		return err
	}
	return o.shipments.RefundPayment(ctx, owed)
}

func (o *Outbox) closeCheckout(ctx context.Context, job store.Job) error {
	return o.shipments.CloseCheckout(ctx, job.Payload)
}

func (o *Outbox) track(ctx context.Context, job store.Job) error {
	return continueAfter(o.shipments.Track(ctx, job.Account, job.Payload))
}

func (o *Outbox) checkPayment(ctx context.Context, job store.Job) error {
	payment, err := job.Arguments()
	if err != nil {
		return err
	}
	return continueAfter(o.shipments.CheckPayment(ctx, job.Account, payment))
}

func (o *Outbox) matchItem(ctx context.Context, job store.Job) error {
	return continueIf(o.matching.Match(ctx, job.Account, job.Payload))
}

// rematchLocation matches a batch of a location's items again, because the set of locations to compare changed.
func (o *Outbox) rematchLocation(ctx context.Context, job store.Job) error {
	r, err := store.ParseRematch(job)
	if err != nil {
		return lost.E(lost.Invalid, "The job does not specify a location.").WithCause(err)
	}
	return o.matching.RematchLocation(ctx, r)
}

// runImport processes a limited number of pieces per run, so that other imports get their turn.
func (o *Outbox) runImport(ctx context.Context, job store.Job) error {
	const pieces = 50
	for range pieces {
		more, err := o.imports.RunImport(ctx, job.Account, job.Payload)
		if err != nil || !more {
			return err
		}
	}
	return errMore
}

// erase removes the data of a person who requested erasure.
func (o *Outbox) erase(ctx context.Context, job store.Job) error {
	about, err := job.Arguments()
	if err != nil || len(about) < 3 {
		return lost.E(lost.Invalid, "The job does not specify a person.").WithCause(err)
	}
	person := lost.Person{Email: about[1], Phone: about[2]}
	return continueAfter(o.erasures.RunErasure(ctx, job.Account, about[0], person, about[3:]))
}

// purgeLocation removes a batch of a deleted location's items. After the last batch it removes the location itself.
func (o *Outbox) purgeLocation(ctx context.Context, job store.Job) error {
	var more bool
	err := o.db.Write(ctx, func(tx *store.Tx) (err error) {
		more, err = purgeSome(tx, job.Account, job.Payload)
		return err
	})
	return continueIf(more, err)
}

func purgeSome(tx *store.Tx, account, location string) (more bool, err error) {
	const maxItems, maxCounts = 200, 10
	items, err := tx.PurgeItems(account, location, maxItems)
	if err != nil {
		return false, err
	}
	if len(items) == 0 {
		counts, err := tx.DeleteOldStockTakes(account, location, 0, maxCounts)
		if err != nil || counts > 0 {
			return counts > 0, err
		}
		return false, tx.PurgeLocation(account, location)
	}
	var ids, files []string
	for _, i := range items {
		ids = append(ids, i.ID)
		files = append(files, i.Files()...)
		if err := refundPurged(tx, i); err != nil {
			return false, err
		}
	}
	documents, err := tx.DeleteShipments(account, ids)
	if err != nil {
		return false, err
	}
	return true, tx.AddDeleteFilesJobs(account, append(files, documents...)...)
}

// refundPurged requests a refund of the fee for an item that is about to be deleted, if it was paid online while its
// location was deleted. DeleteShipments then adds the job of the refund.
func refundPurged(tx *store.Tx, i lost.Item) error {
	if !i.Parcel.HasUnsettledFee(i.Status) || !i.Parcel.PayBy.Online() {
		return nil
	}
	s, err := tx.LockShipment(i.Account, i.Parcel.ShipmentID)
	if err != nil {
		return lost.IgnoreNotFound(err)
	}
	if err := s.RequestRefund(&i, "The location was deleted.", tx.Now()); err != nil {
		return err
	}
	return tx.SaveShipment(s)
}

// continueIf returns errMore if more is true and err is nil; otherwise it returns err.
func continueIf(more bool, err error) error {
	if err == nil && more {
		return errMore
	}
	return err
}

// continueAfter returns a continuation that runs the job again after wait. If wait is zero or err is not nil, it
// returns err.
func continueAfter(wait time.Duration, err error) error {
	if err == nil && wait > 0 {
		return continuation{wait}
	}
	return err
}
