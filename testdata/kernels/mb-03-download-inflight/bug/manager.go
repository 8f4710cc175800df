// Package download fetches artifacts into a local directory and joins callers that want the same one.
package download

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// transfer is one running download.
type transfer struct {
	url  string
	dest string
	got  atomic.Int64
	done chan struct{}
	err  error
}

func (t *transfer) Write(p []byte) (int, error) {
	t.got.Add(int64(len(p)))
	return len(p), nil
}

func (t *transfer) wait(ctx context.Context) (string, error) {
	select {
	case <-t.done:
		return t.dest, t.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Manager downloads each URL at most once at a time.
type Manager struct {
	dir    string
	client *http.Client
	active sync.Map // url -> *transfer
	slots  chan struct{}
}

// NewManager stores into dir and runs at most parallel transfers.
func NewManager(dir string, client *http.Client, parallel int) *Manager {
	if client == nil {
		client = http.DefaultClient
	}
	return &Manager{dir: dir, client: client, slots: make(chan struct{}, max(parallel, 1))}
}

// Fetch returns the local path of url and downloads it first if need be.
func (m *Manager) Fetch(ctx context.Context, url string) (string, error) {
	if t := m.find(url); t != nil {
		return t.wait(ctx)
	}
	return m.start(url).wait(ctx)
}

// Progress reports the bytes received so far for a running transfer.
func (m *Manager) Progress(url string) (int64, bool) {
	t := m.find(url)
	if t == nil {
		return 0, false
	}
	return t.got.Load(), true
}

func (m *Manager) find(url string) *transfer {
	v, ok := m.active.Load(url)
	if !ok {
		return nil
	}
	return v.(*transfer)
}

func (m *Manager) start(url string) *transfer {
	t := &transfer{url: url, dest: m.path(url), done: make(chan struct{})}
	m.active.Store(url, t)
	go m.run(t)
	return t
}

func (m *Manager) run(t *transfer) {
	m.slots <- struct{}{}
	defer func() {
		<-m.slots
		m.active.Delete(t.url)
		close(t.done)
	}()
	t.err = m.save(t)
}

func (m *Manager) save(t *transfer) error {
	resp, err := m.client.Get(t.url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("download %s: %s", t.url, resp.Status)
	}
	part := t.dest + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.MultiWriter(f, t), resp.Body); err != nil {
		f.Close()
		os.Remove(part)
		return fmt.Errorf("download %s: %w", t.url, err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(part, t.dest)
}

func (m *Manager) path(url string) string {
	sum := sha256.Sum256([]byte(url))
	return filepath.Join(m.dir, hex.EncodeToString(sum[:]))
}
