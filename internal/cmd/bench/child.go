package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
)

// child is another process running this program. It responds to requests on its standard input.
type child struct {
	in  io.WriteCloser
	enc *json.Encoder
	dec *json.Decoder
	cmd *exec.Cmd
}

func startChild(ctx context.Context, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &child{in: in, enc: json.NewEncoder(in), dec: json.NewDecoder(bufio.NewReader(out)), cmd: cmd}, nil
}

func (c *child) call(request, response any) error {
	if err := c.enc.Encode(request); err != nil {
		return err
	}
	return c.dec.Decode(response)
}

func (c *child) close() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }
