package lcow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

type Kind uint8

const (
	KindView Kind = iota + 1
	KindActive
	KindCommitted
)

type Snapshot struct {
	Kind      Kind
	ID        string
	ParentIDs []string
}

var (
	ErrAlreadyExists = errors.New("already exists")
	ErrNotFound      = errors.New("not found")
)

// MetaStore keeps the records of the snapshots.
type MetaStore struct {
	mu    sync.Mutex
	next  int
	snaps map[string]Snapshot
}

func (ms *MetaStore) Create(kind Kind, key, parent string) (Snapshot, error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if _, ok := ms.snaps[key]; ok {
		return Snapshot{}, fmt.Errorf("snapshot %v: %w", key, ErrAlreadyExists)
	}
	var parents []string
	if parent != "" {
		p, ok := ms.snaps[parent]
		if !ok {
			return Snapshot{}, fmt.Errorf("parent %v: %w", parent, ErrNotFound)
		}
		parents = append([]string{p.ID}, p.ParentIDs...)
	}
	ms.next++
	sn := Snapshot{Kind: kind, ID: fmt.Sprint(ms.next), ParentIDs: parents}
	ms.snaps[key] = sn
	return sn, nil
}

func (ms *MetaStore) Remove(key string) (string, error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	sn, ok := ms.snaps[key]
	if !ok {
		return "", ErrNotFound
	}
	delete(ms.snaps, key)
	return sn.ID, nil
}

// Tool runs the external program that makes an empty file system.
type Tool interface {
	CreateScratch(ctx context.Context, path string) error
}

type snapshotter struct {
	root string
	ms   *MetaStore
	tool Tool
}

// NewSnapshotter returns a new snapshotter; its methods may be called by
// several requests at the same time.
func NewSnapshotter(root string, tool Tool) (*snapshotter, error) {
	if err := os.MkdirAll(filepath.Join(root, "snapshots"), 0700); err != nil {
		return nil, err
	}
	// Left over of a run that was killed.
	_ = os.Remove(filepath.Join(root, "scratch.vhdx.lock"))
	return &snapshotter{
		root: root,
		ms:   &MetaStore{snaps: make(map[string]Snapshot)},
		tool: tool,
	}, nil
}

func (s *snapshotter) Prepare(ctx context.Context, key, parent string) (string, error) {
	return s.createSnapshot(ctx, KindActive, key, parent)
}

func (s *snapshotter) View(ctx context.Context, key, parent string) (string, error) {
	return s.createSnapshot(ctx, KindView, key, parent)
}

// Remove abandons the transaction identified by key.
func (s *snapshotter) Remove(ctx context.Context, key string) error {
	id, err := s.ms.Remove(key)
	if err != nil {
		return err
	}
	path := s.getSnapshotDir(id)
	renamed := filepath.Join(s.root, "snapshots", "rm-"+id)
	if err := os.Rename(path, renamed); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.RemoveAll(renamed)
}

func (s *snapshotter) getSnapshotDir(id string) string {
	return filepath.Join(s.root, "snapshots", id)
}

func (s *snapshotter) createSnapshot(ctx context.Context, kind Kind, key, parent string) (_ string, err error) {
	newSnapshot, err := s.ms.Create(kind, key, parent)
	if err != nil {
		return "", fmt.Errorf("failed to create snapshot: %w", err)
	}
	defer func() {
		if err != nil {
			_ = s.Remove(ctx, key)
		}
	}()

	if kind != KindActive {
		return s.getSnapshotDir(newSnapshot.ID), nil
	}
	// Create the new snapshot dir
	snDir := s.getSnapshotDir(newSnapshot.ID)
	if err := os.MkdirAll(snDir, 0700); err != nil {
		return "", err
	}
	scratchSource, err := s.openOrCreateScratch(ctx)
	if err != nil {
		return "", err
	}
	defer scratchSource.Close()

	// Create the sandbox.vhdx for this snapshot from the cache.
	dest, err := os.OpenFile(filepath.Join(snDir, "sandbox.vhdx"), os.O_RDWR|os.O_CREATE, 0700)
	if err != nil {
		return "", fmt.Errorf("failed to create sandbox.vhdx in snapshot: %w", err)
	}
	defer dest.Close()
	if _, err := io.Copy(dest, scratchSource); err != nil {
		return "", fmt.Errorf("failed to copy cached scratch.vhdx to sandbox.vhdx in snapshot: %w", err)
	}
	return snDir, nil
}

// openOrCreateScratch creates the scratch.vhdx cache file if it doesn't already exist.
func (s *snapshotter) openOrCreateScratch(ctx context.Context) (*os.File, error) {
	scratchPath := filepath.Join(s.root, "scratch.vhdx")
	scratchLockPath := filepath.Join(s.root, "scratch.vhdx.lock")
	startTime := time.Now()
	timeout := 2 * time.Minute
	for {
		scratchSource, err := os.OpenFile(scratchPath, os.O_RDONLY, 0700)
		if err == nil {
			return scratchSource, nil
		}
		if time.Since(startTime) >= timeout {
			return nil, fmt.Errorf("timed out waiting for scratch.vhdx: %w", err)
		}
		if !os.IsNotExist(err) {
			// Couldnt obtain read access. Sleep and try again. Likely
			// this case is that scratch.vhdx is in the process of being
			// written actively.
			time.Sleep(1 * time.Second)
			continue
		}
		// No scratch path. Take the lock and create it.
		slock, err := os.OpenFile(scratchLockPath, os.O_EXCL|os.O_CREATE, 0700)
		if err != nil {
			// Couldnt obtain the lock. Sleep and try again.
			time.Sleep(1 * time.Second)
			continue
		}
		slock.Close()

		// Create the scratch
		if err := s.tool.CreateScratch(ctx, scratchPath); err != nil {
			_ = os.Remove(scratchPath)
			_ = os.Remove(scratchLockPath)
			return nil, fmt.Errorf("failed to create scratch.vhdx: %w", err)
		}
		// Successfully created scratch in the cache. Open and copy
		_ = os.Remove(scratchLockPath)
	}
}
