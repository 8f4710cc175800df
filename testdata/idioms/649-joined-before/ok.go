// Package rescan verifies the blocks of a file store and reports what is broken.
package rescan

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Block names a piece of a file.
type Block struct {
	Path string
	Off  int64
	Len  int
	Sum  [sha256.Size]byte
}

// Opener reads the blocks.
type Opener interface {
	ReadBlock(ctx context.Context, b Block, buf []byte) (int, error)
}

type tally struct {
	mu      sync.Mutex
	checked int
	bytes   int64
	broken  map[string][]int64
}

func (t *tally) ok(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.checked++
	t.bytes += int64(n)
}

func (t *tally) bad(b Block) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.checked++
	t.broken[b.Path] = append(t.broken[b.Path], b.Off)
}

func (t *tally) counts() (int, int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.checked, t.bytes
}

func (t *tally) brokenPaths() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	paths := make([]string, 0, len(t.broken))
	for p := range t.broken {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

func (t *tally) offsets(path string) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(slices.Values(t.broken[path]))
}

// Report of a scan.
type Report struct {
	Checked int                `json:"checked"`
	Bytes   int64              `json:"bytes"`
	Broken  map[string][]int64 `json:"broken,omitempty"`
}

// Scan is one pass over all blocks.
type Scan struct {
	src   Opener
	tally tally
	wg    sync.WaitGroup
}

// Start checks the blocks that come in with the given number of workers.
func Start(ctx context.Context, src Opener, blocks <-chan Block, workers int) *Scan {
	s := &Scan{src: src, tally: tally{broken: make(map[string][]int64)}}
	for range workers {
		s.wg.Go(func() {
			for b := range blocks {
				s.check(ctx, b)
			}
		})
	}
	return s
}

func (s *Scan) check(ctx context.Context, b Block) {
	buf := make([]byte, b.Len)
	n, err := s.src.ReadBlock(ctx, b, buf)
	if err != nil || sha256.Sum256(buf[:n]) != b.Sum {
		s.tally.bad(b)
		return
	}
	s.tally.ok(n)
}

// Checked returns the number of blocks so far.
func (s *Scan) Checked() int {
	n, _ := s.tally.counts()
	return n
}

// Finish waits for the workers and writes the report; the channel of blocks must be closed.
func (s *Scan) Finish(w io.Writer) (Report, error) {
	s.wg.Wait()
	checked, bytes := s.tally.counts()
	rep := Report{Checked: checked, Bytes: bytes, Broken: make(map[string][]int64)}
	for _, p := range s.tally.brokenPaths() {
		rep.Broken[p] = s.tally.offsets(p)
	}
	if err := json.NewEncoder(w).Encode(rep); err != nil {
		return rep, fmt.Errorf("rescan: report: %w", err)
	}
	return rep, nil
}
