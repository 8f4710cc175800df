package ok

import (
	"sync"
	"time"
)

type valuePointer struct {
	Fid, Offset uint32
}

type memTable struct {
	mu   sync.RWMutex
	kvs  map[string][]byte
	size int
}

func newMemTable() *memTable { return &memTable{kvs: make(map[string][]byte)} }

func (m *memTable) Put(key string, val []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kvs[key] = val
	m.size += len(key) + len(val)
}

func (m *memTable) Size() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.size
}

type flushTask struct {
	mt   *memTable
	vptr valuePointer
}

type request struct {
	key string
	val []byte
	ptr valuePointer
}

// KV provides the various functions required to interact with the store.
type KV struct {
	sync.RWMutex // Guards list of inmemory tables, not individual reads and writes.

	mt   *memTable   // Our latest (actively written) in-memory table
	imm  []*memTable // Add here only AFTER pushing to flushChan.
	vptr valuePointer

	writeCh   chan *request
	flushChan chan flushTask
	writeDone chan struct{}
	flushDone chan struct{}
	write     func(*memTable)
}

func NewKV(write func(*memTable)) *KV {
	s := &KV{
		mt:        newMemTable(),
		writeCh:   make(chan *request, 16),
		flushChan: make(chan flushTask, 1),
		writeDone: make(chan struct{}),
		flushDone: make(chan struct{}),
		write:     write,
	}
	go s.doWrites()
	go s.flushMemtable()
	return s
}

// doWrites is the only writer of mt until it returns.
func (s *KV) doWrites() {
	defer close(s.writeDone)
	for r := range s.writeCh {
		for !s.ensureRoomForWrite() {
			time.Sleep(10 * time.Millisecond)
		}
		s.mt.Put(r.key, r.val)
		s.Lock()
		s.vptr = r.ptr
		s.Unlock()
	}
}

func (s *KV) ensureRoomForWrite() bool {
	s.Lock()
	defer s.Unlock()
	if s.mt.Size() < 1<<20 {
		return true
	}
	select {
	case s.flushChan <- flushTask{s.mt, s.vptr}:
		s.imm = append(s.imm, s.mt)
		s.mt = newMemTable()
		return true
	default:
		return false
	}
}

// flushMemtable writes the tables out, the oldest first.
func (s *KV) flushMemtable() {
	defer close(s.flushDone)
	for ft := range s.flushChan {
		if ft.mt == nil {
			return
		}
		s.write(ft.mt)
		s.Lock()
		// This is a single-threaded operation. ft.mt corresponds to the head
		// of s.imm list. Once we flush it, we advance s.imm.
		s.imm = s.imm[1:]
		s.Unlock()
	}
}

// Close closes a KV once; no write may be started any more.
func (s *KV) Close() {
	close(s.writeCh)
	<-s.writeDone

	if s.mt.Size() > 0 {
		for {
			pushedFlushTask := func() bool {
				s.Lock()
				defer s.Unlock()
				select {
				case s.flushChan <- flushTask{s.mt, s.vptr}:
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
	}
	s.flushChan <- flushTask{nil, valuePointer{}} // Tell flusher to quit.
	<-s.flushDone
}
