package a

import (
	"sync"
	"time"
)

type Skiplist struct {
	mu   sync.Mutex
	keys map[string][]byte
}

func (s *Skiplist) Put(k string, v []byte) {
	s.mu.Lock()
	s.keys[k] = v
	s.mu.Unlock()
}

type flushTask struct {
	mt *Skiplist
}

type KV struct {
	sync.RWMutex // Guards list of inmemory tables, not individual reads and writes.

	mt  *Skiplist   // Our latest (actively written) in-memory table
	imm []*Skiplist // Add here only AFTER pushing to flushChan.

	flushChan chan flushTask // For flushing memtables.
	flushed   sync.WaitGroup
	write     func(*Skiplist)
}

func NewKV(n int, write func(*Skiplist)) *KV {
	s := &KV{
		mt:        &Skiplist{keys: make(map[string][]byte)},
		flushChan: make(chan flushTask, n),
		write:     write,
	}
	s.flushed.Add(1)
	go s.flushMemtable()
	return s
}

func (s *KV) flushMemtable() {
	defer s.flushed.Done()
	for ft := range s.flushChan {
		if ft.mt == nil {
			return
		}
		s.write(ft.mt)

		// Update s.imm. Need a lock.
		s.Lock()
		for i, mt := range s.imm {
			if mt == ft.mt {
				s.imm = append(s.imm[:i:i], s.imm[i+1:]...)
				break
			}
		}
		s.Unlock()
	}
}

func (s *KV) Get(k string) []byte {
	s.RLock()
	defer s.RUnlock()
	tables := append([]*Skiplist{}, s.imm...)
	if s.mt != nil {
		tables = append(tables, s.mt)
	}
	for i := len(tables) - 1; i >= 0; i-- {
		tables[i].mu.Lock()
		v, ok := tables[i].keys[k]
		tables[i].mu.Unlock()
		if ok {
			return v
		}
	}
	return nil
}

// Close closes a KV. It's crucial to call it to ensure all the pending updates
// make their way to disk.
func (s *KV) Close() {
	for {
		pushedFlushTask := func() bool {
			s.Lock()
			defer s.Unlock()
			if s.mt == nil {
				return true
			}
			select {
			case s.flushChan <- flushTask{s.mt}:
				s.imm = append(s.imm, s.mt) // Flusher will attempt to remove this from s.imm.
				s.mt = nil                  // Will segfault if we try writing!
				return true
			default:
				// If we fail to push, we need to unlock and wait for a short while.
				// The flushing operation needs to update s.imm. Otherwise, we have a deadlock.
			}
			return false
		}()
		if pushedFlushTask {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.flushChan <- flushTask{nil} // Tell flusher to quit.
	s.flushed.Wait()
}
