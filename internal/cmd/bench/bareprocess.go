package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"syscall"
	"time"
)

// bareCommand is the command that runs the baseline handler. It is a process of its own, as a program that consists of
// such a handler would be: the service's garbage is not collected at its expense, nor are the service's settings of the
// garbage collector its own.
const bareCommand = "bare"

// bareStart is the first message sent to the process of the baseline handler. It answers with its address.
type bareStart struct{ Engine, Database, Account, Base, Folder string }

// usage is what a process has used since its start.
type usage struct {
	CPU            time.Duration // in user and in system mode
	Mallocs, Bytes uint64        // the number and size of all allocations
}

// measureUsage returns what this process has used. If collect is set, it collects all garbage first, so that the
// garbage of an earlier turn does not affect the next one.
func measureUsage(collect bool) usage {
	if collect {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{CPU: processorTime(), Mallocs: m.Mallocs, Bytes: m.TotalAlloc}
}

// processorTime returns the time that this process has spent on the processor, in user and in system mode.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serveBare runs the baseline handler until its standard input is closed. Every message after the first one asks for
// its usage, and says whether to collect garbage before.
func serveBare(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	dec, enc := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var start bareStart
	if err := dec.Decode(&start); err != nil {
		return err
	}
	db, err := openBare(ctx, start.Engine, start.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	bare, err := newBareServer(db, start.Account, start.Base, start.Folder)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", listenAddress)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: bare.handler()}
	go func() { _ = server.Serve(l) }()
	defer func() { err = errors.Join(err, server.Close()) }()
	if err := enc.Encode(l.Addr().String()); err != nil {
		return err
	}
	for {
		var collect bool
		if err := dec.Decode(&collect); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := enc.Encode(measureUsage(collect)); err != nil {
			return err
		}
	}
}
