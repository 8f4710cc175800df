// Package fix is a key-value store with a value log and garbage collection.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrRejected is returned when another GC is running.
var ErrRejected = errors.New("value log GC attempt was rejected")

// version is one version of a key in the tree.
type version struct {
	ts      uint64
	deleted bool
	fid     uint32
	value   string
}

type entry struct {
	key string
	version
}

// levelsController holds the versions of each key, the newest first.
type levelsController struct {
	kv *DB

	mu   sync.RWMutex
	keys map[string][]version
}

func (s *levelsController) get(key string) (version, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if vs := s.keys[key]; len(vs) > 0 {
		return vs[0], true
	}
	return version{}, false
}

// put inserts a version at its place; a version that exists is replaced.
func (s *levelsController) put(key string, v version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	vs := s.keys[key]
	i := 0
	for i < len(vs) && vs[i].ts > v.ts {
		i++
	}
	if i < len(vs) && vs[i].ts == v.ts {
		vs[i] = v
		return
	}
	vs = append(vs, version{})
	copy(vs[i+1:], vs[i:])
	vs[i] = v
	s.keys[key] = vs
}

func (s *levelsController) maxVersion() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var m uint64
	for _, vs := range s.keys {
		if len(vs) > 0 {
			m = max(m, vs[0].ts)
		}
	}
	return m
}

// compact drops what no reader at or above the discard timestamp can see.
func (s *levelsController) compact() {
	discardTs := s.kv.discardAtOrBelow.Load()

	// While a vlog GC rewrite is in flight, do not discard any version newer
	// than the rewrite's start: a tombstone deleting a key that is about to be
	// written back must survive to shadow it.
	if s.kv.gcActive.Load() {
		if gcMax := s.kv.gcDiscardTs.Load(); gcMax > 0 && gcMax < discardTs {
			discardTs = gcMax
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	for key, vs := range s.keys {
		var kept []version
		for _, v := range vs {
			if v.ts > discardTs {
				kept = append(kept, v)
				continue
			}
			// The newest version that is old enough hides all others.
			if !v.deleted {
				kept = append(kept, v)
			}
			break
		}
		if len(kept) == 0 {
			delete(s.keys, key)
		} else {
			s.keys[key] = kept
		}
	}
}

// DB is the store.
type DB struct {
	lc   *levelsController
	vlog valueLog

	nextTs           atomic.Uint64
	discardAtOrBelow atomic.Uint64

	// gcActive is set while a vlog GC rewrite (scan + write-back) is in flight,
	// and gcDiscardTs records the DB's max version captured at its start.
	gcActive    atomic.Bool
	gcDiscardTs atomic.Uint64
}

// Open returns an empty store.
func Open() *DB {
	db := &DB{}
	db.lc = &levelsController{kv: db, keys: make(map[string][]version)}
	db.vlog = valueLog{db: db, files: make(map[uint32][]entry), garbageCh: make(chan struct{}, 1)}
	return db
}

// Set writes a value.
func (db *DB) Set(key, value string) {
	e := entry{key, version{ts: db.nextTs.Add(1), value: value}}
	e.fid = db.vlog.write(e)
	db.lc.put(key, e.version)
}

// Delete writes a tombstone.
func (db *DB) Delete(key string) {
	db.lc.put(key, version{ts: db.nextTs.Add(1), deleted: true})
}

// Get returns the newest value.
func (db *DB) Get(key string) (string, bool) {
	v, ok := db.lc.get(key)
	return v.value, ok && !v.deleted
}

// DoneReading tells that no reader below ts is left.
func (db *DB) DoneReading(ts uint64) {
	db.discardAtOrBelow.Store(ts)
	db.lc.compact()
}

// batchSet writes versions that were committed before.
func (db *DB) batchSet(entries []entry) {
	for _, e := range entries {
		e.fid = db.vlog.write(e)
		db.lc.put(e.key, e.version)
	}
}

type valueLog struct {
	db *DB

	filesLock sync.RWMutex
	maxFid    uint32
	files     map[uint32][]entry

	garbageCh chan struct{}
}

func (vlog *valueLog) write(e entry) uint32 {
	vlog.filesLock.Lock()
	defer vlog.filesLock.Unlock()
	e.fid = vlog.maxFid
	vlog.files[e.fid] = append(vlog.files[e.fid], e)
	if len(vlog.files[e.fid]) >= 1000 {
		vlog.maxFid++
	}
	return e.fid
}

func (vlog *valueLog) rewrite(fid uint32) error {
	vlog.filesLock.RLock()
	if fid >= vlog.maxFid {
		vlog.filesLock.RUnlock()
		return errors.New("file is still being written")
	}
	f := vlog.files[fid]
	vlog.filesLock.RUnlock()

	// Announce that a GC rewrite is in flight and pin the discard threshold.
	vlog.db.gcDiscardTs.Store(vlog.db.lc.maxVersion())
	vlog.db.gcActive.Store(true)
	defer vlog.db.gcActive.Store(false)

	wb := make([]entry, 0, 1000)
	fe := func(e entry) {
		vs, ok := vlog.db.lc.get(e.key)
		if !ok || vs.deleted || vs.ts != e.ts || vs.fid != fid {
			return // Value is not live any more.
		}
		wb = append(wb, e)
	}
	for _, e := range f {
		fe(e)
	}

	batchSize := 128
	for i := 0; i < len(wb); i += batchSize {
		vlog.db.batchSet(wb[i:min(i+batchSize, len(wb))])
	}

	vlog.filesLock.Lock()
	delete(vlog.files, fid)
	vlog.filesLock.Unlock()
	return nil
}

// RunValueLogGC rewrites one file.
func (db *DB) RunValueLogGC(fid uint32) error {
	select {
	case db.vlog.garbageCh <- struct{}{}:
		defer func() { <-db.vlog.garbageCh }()
		return db.vlog.rewrite(fid)
	default:
		return ErrRejected
	}
}
