package desk

import (
	"context"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Limits of a location's imports: how many are listed, and how many may wait for confirmation. If too many are
// waiting, the oldest are deleted.
const (
	importsListed = 20
	importsReady  = 5
)

// evictImports deletes the oldest unconfirmed imports, so that m does not exceed the limit.
func evictImports(tx *store.Tx, m lost.Import) error {
	const limit = 100
	imports, err := tx.Imports(tx.Context(), m.Account, m.LocationID, limit)
	if err != nil {
		return err
	}
	ready := 1 // counts m, which is not saved yet
	for _, other := range imports {
		if m.LocationID == "" && (other.By.Kind != m.By.Kind || other.By.ID != m.By.ID) {
			continue // not visible to everybody
		}
		if other.State != lost.ImportReady && other.State != lost.ImportUnmapped {
			continue
		}
		ready++
		if ready <= importsReady {
			continue
		}
		if err := tx.DeleteImport(m.Account, other.ID); err != nil {
			return err
		}
	}
	return nil
}

// List lists the newest imports into a location.
func (s *Imports) List(ctx context.Context, a lost.Actor, location string) ([]lost.Import, error) {
	if err := mayImport(a, location, "location"); err != nil {
		return nil, err
	}
	if location != "" {
		if _, err := s.db.Terms(ctx, a.Account, location); err != nil {
			return nil, err
		}
	}
	imports, err := s.openImports(ctx, a, location)
	return imports[:min(len(imports), importsListed)], err
}

// openImports returns the newest imports into a location that the actor may see.
func (s *Imports) openImports(ctx context.Context, a lost.Actor, location string) ([]lost.Import, error) {
	const limit = 200
	imports, err := s.db.Imports(ctx, a.Account, location, limit)
	return slices.DeleteFunc(imports, func(m lost.Import) bool { return mayOpenImport(a, m) != nil }), err
}

// Get returns an import with its progress.
func (s *Imports) Get(ctx context.Context, a lost.Actor, location, id string) (lost.Import, error) {
	if err := mayImport(a, location, "import"); err != nil {
		return lost.Import{}, err
	}
	m, err := s.db.Import(ctx, a.Account, location, id)
	if err == nil {
		err = mayOpenImport(a, m)
	}
	if err != nil {
		return lost.Import{}, err
	}
	return m, nil
}
