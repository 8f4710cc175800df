package local

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Status of an ingestion.
type Status struct {
	Ref       string
	Offset    int64
	Total     int64
	StartedAt time.Time
	UpdatedAt time.Time
}

// store is digest-keyed store for content. All data written into the store is
// stored under a verifiable digest.
type store struct {
	root string
}

// NewStore returns a local content store
func NewStore(root string) (*store, error) {
	if err := os.MkdirAll(filepath.Join(root, "ingest"), 0777); err != nil && !os.IsExist(err) {
		return nil, err
	}
	return &store{root: root}, nil
}

// Writer begins or resumes the active writer identified by ref. If the writer
// is already in use, an error is returned.
//
// The argument `ref` is used to uniquely identify a long-lived writer transaction.
func (s *store) Writer(ref string, total int64) (_ *writer, err error) {
	path := s.ingestRoot(ref)
	data := filepath.Join(path, "data")

	if err := tryLock(ref); err != nil {
		return nil, fmt.Errorf("locking ref %v failed: %w", ref, err)
	}
	defer func() {
		if err != nil {
			unlock(ref)
		}
	}()

	var (
		digester  = sha256.New()
		offset    int64
		startedAt = time.Now()
	)

	// ensure that the ingest path has been created.
	if err := os.Mkdir(path, 0755); err != nil {
		if !os.IsExist(err) {
			return nil, err
		}
		// slow slow slow!!, send to goroutine or use resumable hashes
		fp, err := os.Open(data)
		if err != nil {
			return nil, err
		}
		defer fp.Close()

		offset, err = io.Copy(digester, fp)
		if err != nil {
			return nil, err
		}
	}

	fp, err := os.OpenFile(data, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0666)
	if err != nil {
		return nil, fmt.Errorf("failed to open data file: %w", err)
	}

	return &writer{
		s:         s,
		fp:        fp,
		ref:       ref,
		path:      path,
		offset:    offset,
		total:     total,
		digester:  digester,
		startedAt: startedAt,
		updatedAt: startedAt,
	}, nil
}

func (s *store) blobPath(dgst string) string {
	return filepath.Join(s.root, "blobs", strings.Replace(dgst, ":", "/", 1))
}

func (s *store) ingestRoot(ref string) string {
	h := sha256.Sum256([]byte(ref))
	return filepath.Join(s.root, "ingest", hex.EncodeToString(h[:]))
}

// Ingest copies r into the store. It is called for each write stream, in
// the goroutine of that stream.
func (s *store) Ingest(ref string, r io.Reader, size int64, expected string) error {
	wr, err := s.Writer(ref, size)
	if err != nil {
		return err
	}
	defer wr.Close()

	if _, err := io.Copy(wr, r); err != nil {
		return err
	}
	return wr.Commit(size, expected)
}
