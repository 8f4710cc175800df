// Package pack collects the blobs of a backup in pack files and remembers
// where each of them went.
package pack

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"sync"
)

// ID is the hash of a blob.
type ID [sha256.Size]byte

// Location tells where in the repository a blob is.
type Location struct {
	Pack   int
	Offset int
	Length int
}

// Backend stores pack files.
type Backend interface {
	Save(name string, body []byte) error
	Load(name string) ([]byte, error)
}

// Packer is shared by the workers which read the files.
type Packer struct {
	backend Backend
	limit   int

	mu    sync.Mutex
	seq   int    // number of the pack being filled
	buf   []byte // its content so far
	index map[ID]Location
	err   error // first failed upload, final
}

// New returns a Packer that writes packs of about limit bytes.
func New(backend Backend, limit int) *Packer {
	return &Packer{
		backend: backend,
		limit:   limit,
		index:   make(map[ID]Location),
	}
}

func packName(seq int) string { return fmt.Sprintf("data/%08x.pack", seq) }

// Add stores a blob, unless the backup has it already, and returns its ID.
func (p *Packer) Add(data []byte) (ID, error) {
	id := ID(sha256.Sum256(data))

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return id, p.err
	}
	for {
		if _, ok := p.index[id]; ok {
			return id, nil
		}
		if len(p.buf) == 0 || len(p.buf)+len(data) <= p.limit {
			break
		}
		if err := p.seal(); err != nil {
			return id, err
		}
	}
	off := len(p.buf)
	p.buf = append(p.buf, data...)
	p.index[id] = Location{Pack: p.seq, Offset: off, Length: len(data)}
	return id, nil
}

// seal uploads the current pack and begins a new one. p.mu is held on entry
// and on return, but not during the upload, so the other workers go on.
func (p *Packer) seal() error {
	seq, body := p.seq, p.buf
	p.seq++
	p.buf = make([]byte, 0, p.limit)

	p.mu.Unlock()
	err := p.backend.Save(packName(seq), body)
	p.mu.Lock()

	if err != nil && p.err == nil {
		p.err = fmt.Errorf("pack: save %s: %w", packName(seq), err)
	}
	return p.err
}

// Finish uploads the last pack and returns the index. It must be called after
// the last Add has returned.
func (p *Packer) Finish() (map[ID]Location, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return nil, p.err
	}
	if len(p.buf) > 0 {
		if err := p.seal(); err != nil {
			return nil, err
		}
	}
	return maps.Clone(p.index), nil
}

// Read gets a blob back.
func Read(b Backend, index map[ID]Location, id ID) ([]byte, error) {
	loc, ok := index[id]
	if !ok {
		return nil, fmt.Errorf("pack: no blob %x", id[:8])
	}
	body, err := b.Load(packName(loc.Pack))
	if err != nil {
		return nil, err
	}
	if loc.Offset+loc.Length > len(body) {
		return nil, fmt.Errorf("pack: %s is too short", packName(loc.Pack))
	}
	data := body[loc.Offset : loc.Offset+loc.Length]
	if ID(sha256.Sum256(data)) != id {
		return nil, fmt.Errorf("pack: blob %x is damaged", id[:8])
	}
	return data, nil
}
