// Package transfer copies whole databases. It dumps tables as lines of JSON, loads them into an
// empty database, moves a SQLite database to PostgreSQL, and checks the health of a database.
//
// It reads and writes the tables of all accounts generically, through store.Raw. It must not be
// used while serving a request.
package transfer

import (
	"context"

	"homeward/internal/store"
)

// Step is the state of a long operation.
type Step struct {
	Name  string  // what is being done
	Done  int64   // the number of rows or files processed in this step
	Share float64 // the completed share of the whole operation, from 0 to 1; 0 if unknown
}

// Progress is called periodically during a long operation. It may be nil.
type Progress func(Step)

// Report calls the function, unless it is nil.
func (p Progress) Report(s Step) {
	if p != nil {
		p(s)
	}
}

// Between returns a Progress for a part of the operation: from one share of the whole to another.
func (p Progress) Between(from, to float64) Progress {
	return func(s Step) {
		s.Share = from + s.Share*(to-from)
		p.Report(s)
	}
}

// collect reads all rows of a query.
func collect[T any](rs store.Rows, err error, scan func(store.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var all []T
	for rs.Next() {
		v, err := scan(rs)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rs.Err()
}

// value returns the only column of the first row, and reports whether there is a row.
func value[T any](rs store.Rows, err error) (v T, found bool, _ error) {
	all, err := collect(rs, err, func(rs store.Rows) (v T, err error) {
		err = rs.Scan(&v)
		return v, err
	})
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// texts returns the values of a query with one text column.
func texts(rs store.Rows, err error) ([]string, error) {
	return collect(rs, err, func(rs store.Rows) (text string, err error) {
		err = rs.Scan(&text)
		return text, err
	})
}

// pairs returns the rows of a query with two text columns.
func pairs(ctx context.Context, raw store.Raw, query string) ([][2]string, error) {
	rs, err := raw.Query(ctx, query)
	return collect(rs, err, func(rs store.Rows) (p [2]string, err error) {
		err = rs.Scan(&p[0], &p[1])
		return p, err
	})
}
