// Package blobfetch downloads image layers, each one once at a time.
package blobfetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// ErrDigest is returned when the bytes do not match the digest.
var ErrDigest = errors.New("blobfetch: digest mismatch")

// Remote serves blobs.
type Remote interface {
	Open(ctx context.Context, digest string) (io.ReadCloser, error)
}

type flight struct {
	done    chan struct{}
	waiters int
	cancel  context.CancelFunc

	path string
	err  error
}

// Fetcher downloads into a directory.
type Fetcher struct {
	remote Remote
	dir    string

	mu      sync.Mutex
	flights map[string]*flight
}

// New returns a fetcher that stores blobs in dir.
func New(r Remote, dir string) *Fetcher {
	return &Fetcher{remote: r, dir: dir, flights: make(map[string]*flight)}
}

// Get returns the file of a blob. The download goes on as long as somebody
// waits for it.
func (f *Fetcher) Get(ctx context.Context, digest string) (string, error) {
	fl := f.join(digest)
	select {
	case <-fl.done:
		return fl.path, fl.err
	case <-ctx.Done():
		f.abandon(digest, fl)
		return "", ctx.Err()
	}
}

func (f *Fetcher) join(digest string) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl, ok := f.flights[digest]; ok {
		fl.waiters++
		return fl
	}
	ctx, cancel := context.WithCancel(context.Background())
	fl := &flight{done: make(chan struct{}), waiters: 1, cancel: cancel}
	f.flights[digest] = fl
	go f.download(ctx, digest, fl)
	return fl
}

// abandon gives up one waiter; the last one stops the download and makes room
// for another.
func (f *Fetcher) abandon(digest string, fl *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl.waiters--; fl.waiters > 0 {
		return
	}
	fl.cancel()
	if f.flights[digest] == fl {
		delete(f.flights, digest)
	}
}

func (f *Fetcher) download(ctx context.Context, digest string, fl *flight) {
	defer fl.cancel()
	fl.path, fl.err = f.fetch(ctx, digest)
	f.mu.Lock()
	if f.flights[digest] == fl {
		delete(f.flights, digest)
	}
	f.mu.Unlock()
	close(fl.done)
}

func (f *Fetcher) fetch(ctx context.Context, digest string) (path string, err error) {
	path = filepath.Join(f.dir, digest)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	rc, err := f.remote.Open(ctx, digest)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", digest, err)
	}
	defer rc.Close()
	tmp, err := os.CreateTemp(f.dir, "fetch-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(tmp, h), rc)
	err = errors.Join(err, tmp.Close(), ctx.Err())
	if err != nil {
		return "", err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != digest {
		return "", fmt.Errorf("%w: want %s, got %s", ErrDigest, digest, got)
	}
	return path, os.Rename(tmp.Name(), path)
}

// Active returns the number of downloads.
func (f *Fetcher) Active() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.flights)
}
