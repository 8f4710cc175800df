// Package chunks is the index of a deduplicating backup store: which chunk is
// stored in which pack.
package chunks

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// ErrConflict is returned when an index names two packs for a chunk.
var ErrConflict = errors.New("chunks: chunk in two packs")

// ID is the hash of a chunk.
type ID [32]byte

// ParseID reads an ID written in hexadecimal.
func ParseID(s string) (ID, error) {
	var id ID
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("chunks: bad id %q", s)
	}
	copy(id[:], b)
	return id, nil
}

// Index is safe for concurrent use.
type Index struct {
	mu    sync.RWMutex
	packs map[ID]string
	count map[string]int // chunks in each pack
}

func newIndex() *Index {
	return &Index{packs: make(map[ID]string), count: make(map[string]int)}
}

// Open loads the index files at the given paths into one index. A chunk may be
// listed more than once as long as it is in the same pack.
func Open(paths ...string) (*Index, error) {
	x := newIndex()
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return nil, err
		}
		err = x.load(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	return x, nil
}

// load adds the lines "id pack" of r.
func (x *Index) load(r io.Reader) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		var hexID, pack string
		if _, err := fmt.Sscan(sc.Text(), &hexID, &pack); err != nil {
			return err
		}
		id, err := ParseID(hexID)
		if err != nil {
			return err
		}
		have, ok := x.Lookup(id)
		if ok && have != pack {
			return ErrConflict
		}
		if !ok {
			x.put(id, pack)
			x.grow(pack, 1)
		}
	}
	return sc.Err()
}

// Lookup returns the pack that holds the chunk.
func (x *Index) Lookup(id ID) (string, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	pack, ok := x.packs[id]
	return pack, ok
}

func (x *Index) put(id ID, pack string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.packs[id] = pack
}

func (x *Index) grow(pack string, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.count[pack] += n
}

// Record notes that an uploader has written the chunk to pack. If the chunk is
// in another pack already, that one is returned and the caller's copy is
// garbage.
func (x *Index) Record(id ID, pack string) (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if have, ok := x.packs[id]; ok {
		return have, have == pack
	}
	x.packs[id] = pack
	x.count[pack]++
	return pack, true
}

// Size returns the number of chunks known in pack.
func (x *Index) Size(pack string) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.count[pack]
}
