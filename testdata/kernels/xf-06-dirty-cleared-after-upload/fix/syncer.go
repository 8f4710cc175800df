// Package foldersync mirrors a local folder to a remote store.
package foldersync

import (
	"context"
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Remote is the far side.
type Remote interface {
	Put(ctx context.Context, rel string, data []byte) error
	Delete(ctx context.Context, rel string) error
}

// Syncer uploads the files that change below a root. It is safe for
// concurrent use.
type Syncer struct {
	root   string
	remote Remote
	retry  time.Duration

	dirty sync.Map      // relative path -> struct{}
	kick  chan struct{} // holds a token while there is something to do

	flushMu sync.Mutex // held during a pass, so that uploads of a file are in order
}

// New returns a Syncer. Run must be called to start it.
func New(root string, remote Remote, retry time.Duration) *Syncer {
	return &Syncer{
		root:   root,
		remote: remote,
		retry:  retry,
		kick:   make(chan struct{}, 1),
	}
}

// Run mirrors the changes reported on events (relative paths) until ctx ends
// or the watcher closes the channel.
func (s *Syncer) Run(ctx context.Context, events <-chan string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.uploadLoop(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case rel, ok := <-events:
			if !ok {
				return
			}
			s.Touch(rel)
		}
	}
}

// Touch notes that a file was written, created or removed.
func (s *Syncer) Touch(rel string) {
	s.mark(rel)
	s.wake()
}

// Rescan notes every file below the root.
func (s *Syncer) Rescan() error {
	defer s.wake()
	return filepath.WalkDir(s.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.root, p)
		if err == nil {
			s.mark(rel)
		}
		return err
	})
}

func (s *Syncer) mark(rel string) { s.dirty.Store(rel, struct{}{}) }

func (s *Syncer) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

func (s *Syncer) uploadLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		}
		if err := s.Flush(ctx); err != nil {
			log.Printf("foldersync: %v", err)
			time.AfterFunc(s.retry, s.wake)
		}
	}
}

// Flush uploads the changed files. Files that fail stay changed; the first
// error is returned.
func (s *Syncer) Flush(ctx context.Context) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	var first error
	s.dirty.Range(func(key, _ any) bool {
		if err := s.syncOne(ctx, key.(string)); err != nil && first == nil {
			first = err
		}
		return ctx.Err() == nil
	})
	return first
}

func (s *Syncer) syncOne(ctx context.Context, rel string) error {
	s.dirty.Delete(rel)
	if err := s.transfer(ctx, rel); err != nil {
		s.mark(rel)
		return err
	}
	return nil
}

// transfer makes the remote file equal to the local one.
func (s *Syncer) transfer(ctx context.Context, rel string) error {
	data, err := os.ReadFile(filepath.Join(s.root, rel))
	if errors.Is(err, fs.ErrNotExist) {
		return s.remote.Delete(ctx, rel)
	}
	if err != nil {
		return err
	}
	return s.remote.Put(ctx, rel, data)
}

// Pending returns the number of files that wait for an upload.
func (s *Syncer) Pending() int {
	n := 0
	s.dirty.Range(func(_, _ any) bool {
		n++
		return true
	})
	return n
}
