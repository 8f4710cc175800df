package local

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// writer represents a write transaction against the blob store.
type writer struct {
	s         *store
	fp        *os.File // opened data file
	path      string   // path to writer dir
	ref       string   // ref key
	offset    int64
	total     int64
	digester  hash.Hash
	startedAt time.Time
	updatedAt time.Time
}

func (w *writer) Status() (Status, error) {
	return Status{
		Ref:       w.ref,
		Offset:    w.offset,
		Total:     w.total,
		StartedAt: w.startedAt,
		UpdatedAt: w.updatedAt,
	}, nil
}

// Digest returns the current digest of the content, up to the current write.
//
// Cannot be called concurrently with `Write`.
func (w *writer) Digest() string {
	return "sha256:" + hex.EncodeToString(w.digester.Sum(nil))
}

// Write p to the transaction.
//
// Note that writes are unbuffered to the backing file. When writing, it is
// recommended to wrap in a bufio.Writer or, preferably, use io.CopyBuffer.
func (w *writer) Write(p []byte) (n int, err error) {
	n, err = w.fp.Write(p)
	w.digester.Write(p[:n])
	w.offset += int64(len(p))
	w.updatedAt = time.Now()
	return n, err
}

func (w *writer) Commit(size int64, expected string) error {
	if w.fp == nil {
		return fmt.Errorf("cannot commit on closed writer: %w", errFailedPrecondition)
	}
	if err := w.fp.Sync(); err != nil {
		return fmt.Errorf("sync failed: %w", err)
	}

	fi, err := w.fp.Stat()
	if err != nil {
		return fmt.Errorf("stat on ingest file failed: %w", err)
	}

	// change to readonly, more important for read, but provides _some_
	// protection from this point on. We use the existing perms with a mask
	// only allowing reads honoring the umask on creation.
	//
	// NOTE: Windows does not support this operation
	if runtime.GOOS != "windows" {
		if err := w.fp.Chmod((fi.Mode() & os.ModePerm) &^ 0333); err != nil {
			return fmt.Errorf("failed to change ingest file permissions: %w", err)
		}
	}

	if size > 0 && size != fi.Size() {
		return fmt.Errorf("unexpected commit size %d, expected %d", fi.Size(), size)
	}

	if err := w.fp.Close(); err != nil {
		return fmt.Errorf("failed closing ingest: %w", err)
	}

	dgst := w.Digest()
	if expected != "" && expected != dgst {
		return fmt.Errorf("unexpected commit digest %s, expected %s", dgst, expected)
	}

	var (
		ingest = filepath.Join(w.path, "data")
		target = w.s.blobPath(dgst)
	)

	// make sure parent directories of blob exist
	if err := os.MkdirAll(filepath.Dir(target), 0755); err != nil {
		return err
	}

	err = os.Rename(ingest, target)
	// clean up!!
	os.RemoveAll(w.path)
	if err != nil {
		return err
	}

	w.fp = nil
	unlock(w.ref)

	return nil
}

// Close the writer, flushing any unwritten data and leaving the progress in
// tact.
//
// If one needs to resume the transaction, a new writer can be obtained from
// `ContentStore.Resume` using the same key. The write can then be continued
// from it was left off.
func (w *writer) Close() (err error) {
	if w.fp != nil {
		w.fp.Sync()
		err = w.fp.Close()
		w.fp = nil
		unlock(w.ref)
		return
	}

	return nil
}

var errFailedPrecondition = errors.New("failed precondition")
