package ctr

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Options of the commands.
type Options struct {
	Address string
	Timeout time.Duration
	Debug   bool
}

// Connect returns a client that is connected to the daemon.
type Connect func(opts Options) (*Client, error)

// newClient returns a new client and a context for it.
func newClient(connect Connect, opts Options) (*Client, context.Context, context.CancelFunc, error) {
	client, err := connect(opts)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx := context.Background()
	var cancel context.CancelFunc
	if opts.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	return client, ctx, cancel, nil
}

// Fetch loads all resources into the content store and returns the image
func Fetch(ctx context.Context, client *Client, ref string, out io.Writer, opts Options) (*Image, error) {
	pctx, stopProgress := context.WithCancel(ctx)
	progress := make(chan struct{})

	go func() {
		if !opts.Debug {
			// no progress bar, because it hides some debug logs
			showProgress(pctx, ref, out)
		}
		close(progress)
	}()

	img, err := client.Pull(pctx, ref)
	stopProgress()
	if err != nil {
		return nil, err
	}

	<-progress
	return img, nil
}

func showProgress(ctx context.Context, ref string, out io.Writer) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	start := time.Now()
	for {
		select {
		case <-ticker.C:
			fmt.Fprintf(out, "%s: resolved %.1fs\n", ref, time.Since(start).Seconds())
		case <-ctx.Done():
			return
		}
	}
}

// FetchCommand only fetches the content of an image.
func FetchCommand(connect Connect, opts Options, ref string, out io.Writer) error {
	client, ctx, cancel, err := newClient(connect, opts)
	if err != nil {
		return err
	}
	defer cancel()
	_, err = Fetch(ctx, client, ref, out, opts)
	return err
}

// PullCommand fetches and prepares an image for use in containerd.
//
// After pulling an image, it should be ready to use the same reference in a
// run command.
func PullCommand(connect Connect, opts Options, ref string, out io.Writer) error {
	if ref == "" {
		return fmt.Errorf("please provide an image reference to pull")
	}

	client, ctx, cancel, err := newClient(connect, opts)
	if err != nil {
		return err
	}
	defer cancel()

	ctx, done, err := client.WithLease(ctx)
	if err != nil {
		return err
	}
	defer done(ctx)

	img, err := Fetch(ctx, client, ref, out, opts)
	if err != nil {
		return err
	}

	// TODO: Show unpack status
	fmt.Fprintf(out, "unpacking %s...\n", img.Target())
	err = img.Unpack(ctx)
	if err == nil {
		fmt.Fprintln(out, "done")
	}
	return err
}
