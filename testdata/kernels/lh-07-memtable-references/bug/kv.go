package badger

import (
	"errors"
	"log"
	"sync"
	"time"
)

const kvWriteChCapacity = 1000

var errNoRoom = errors.New("No room for write")

// Options are params for creating KV object.
type Options struct {
	MaxTableSize int
	NumMemtables int
	Verbose      bool
}

type Entry struct {
	Key   []byte
	Value []byte
	Meta  byte
}

type block struct {
	Entries []*Entry
	Wg      sync.WaitGroup
}

type flushTask struct {
	mt *Skiplist
}

// KV provides the various functions required to interact with Badger.
type KV struct {
	sync.RWMutex // Guards imm, mem.

	mt        *Skiplist
	imm       []*Skiplist // Add here only AFTER pushing to flushChan.
	opt       Options
	lc        *levelsController
	arenaPool *ArenaPool
	writeCh   chan *block
	flushChan chan flushTask // For flushing memtables.
	closed    chan struct{}
	writerWg  sync.WaitGroup
	flusherWg sync.WaitGroup
}

// NewKV returns a new KV object.
func NewKV(opt *Options) *KV {
	out := &KV{
		imm:       make([]*Skiplist, 0, opt.NumMemtables),
		flushChan: make(chan flushTask, opt.NumMemtables),
		writeCh:   make(chan *block, kvWriteChCapacity),
		closed:    make(chan struct{}),
		opt:       *opt, // Make a copy.
		lc:        newLevelsController(),
		arenaPool: NewArenaPool(opt.NumMemtables + 5),
	}
	out.mt = NewSkiplist(out.arenaPool)

	out.flusherWg.Add(1)
	go out.flushMemtable() // Need levels controller to be up.

	out.writerWg.Add(1)
	go out.doWrites()
	return out
}

// Close closes a KV. Nobody may read or write any more when it is called.
func (s *KV) Close() {
	close(s.closed)

	// Make sure that block writer is done pushing stuff into memtable!
	s.writerWg.Wait()

	s.Lock()
	s.flushChan <- flushTask{s.mt}
	s.imm = append(s.imm, s.mt) // Flusher will attempt to remove this from s.imm.
	s.mt = nil                  // Will segfault if we try writing!
	s.Unlock()
	s.flushChan <- flushTask{nil} // Tell flusher to quit.
	s.flusherWg.Wait()
}

func (s *KV) getMemTables() []*Skiplist {
	s.RLock()
	defer s.RUnlock()
	tables := make([]*Skiplist, len(s.imm)+1)
	tables[0] = s.mt
	last := len(s.imm) - 1
	for i := range s.imm {
		tables[i+1] = s.imm[last-i]
	}
	return tables
}

// get returns the value in memtable or disk for given key.
// Note that value will include meta byte.
func (s *KV) get(key []byte) ([]byte, byte) {
	tables := s.getMemTables() // Lock should be released.
	for i := 0; i < len(tables); i++ {
		v, meta := tables[i].Get(key)
		if meta != 0 || v != nil {
			return v, meta
		}
	}
	return s.lc.get(key)
}

// Get looks for key and returns value. If not found, return nil.
func (s *KV) Get(key []byte) []byte {
	v, _ := s.get(key)
	return v
}

// Exists looks if a key exists and was not deleted.
func (s *KV) Exists(key []byte) bool {
	v, meta := s.get(key)
	return v != nil && meta&BitDelete == 0
}

// BatchSet applies a list of entries.
func (s *KV) BatchSet(entries []*Entry) {
	b := &block{Entries: entries}
	b.Wg.Add(1)
	s.writeCh <- b
	b.Wg.Wait()
}

func (s *KV) doWrites() {
	defer s.writerWg.Done()
	for {
		select {
		case b := <-s.writeCh:
			for s.ensureRoomForWrite() != nil {
				// We need to poll a bit because both hasRoomForWrite and the flusher need access to s.imm.
				time.Sleep(10 * time.Millisecond)
			}
			s.writeToLSM(b)
			b.Wg.Done()
		case <-s.closed:
			return
		}
	}
}

func (s *KV) writeToLSM(b *block) {
	for _, entry := range b.Entries {
		s.mt.Put(entry.Key, entry.Value, entry.Meta)
	}
}

// ensureRoomForWrite is always called serially.
func (s *KV) ensureRoomForWrite() error {
	s.Lock()
	defer s.Unlock()
	if s.mt.Size() < s.opt.MaxTableSize {
		return nil
	}
	select {
	case s.flushChan <- flushTask{s.mt}:
		// We manage to push this task. Let's modify imm.
		s.imm = append(s.imm, s.mt)
		s.mt = NewSkiplist(s.arenaPool)
		// New memtable is empty. We certainly have room.
		return nil
	default:
		// We need to do this to unlock and allow the flusher to modify imm.
		return errNoRoom
	}
}

func (s *KV) flushMemtable() {
	defer s.flusherWg.Done()
	for ft := range s.flushChan {
		if ft.mt == nil {
			return
		}
		s.lc.addLevel0Table(ft.mt)
		if s.opt.Verbose {
			log.Printf("flushed memtable of size %d", ft.mt.Size())
		}

		// Update s.imm. Need a lock.
		s.Lock()
		imm := make([]*Skiplist, 0, s.opt.NumMemtables)
		for _, mt := range s.imm {
			if mt != ft.mt {
				imm = append(imm, mt)
			}
		}
		s.imm = imm
		s.Unlock()
		ft.mt.DecrRef() // Return memory.
	}
}
