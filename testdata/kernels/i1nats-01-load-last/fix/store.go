// Package msgstore stores the messages of one stream by sequence and subject.
package msgstore

import (
	"errors"
	"sync"
)

// ErrMsgNotFound says that there is no such message.
var ErrMsgNotFound = errors.New("no message found")

const blockMsgs = 512

// Store is a list of message blocks.
type Store struct {
	maxPer uint64 // messages kept per subject, 0 for no limit

	mu   sync.RWMutex
	blks []*block
	lseq uint64
}

// NewStore returns an empty store that keeps maxPer messages per subject.
func NewStore(maxPer uint64) *Store {
	return &Store{maxPer: maxPer, blks: []*block{newBlock(1)}}
}

// StoreMsg appends a message and drops the oldest ones of its subject.
func (s *Store) StoreMsg(subject string, data []byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	lmb := s.blks[len(s.blks)-1]
	if s.lseq-lmb.first+1 >= blockMsgs {
		lmb = newBlock(s.lseq + 1)
		s.blks = append(s.blks, lmb)
	}
	s.lseq++
	lmb.add(&Msg{Seq: s.lseq, Subject: subject, Data: data})
	if s.maxPer > 0 {
		s.enforcePerSubject(subject)
	}
	return s.lseq
}

// enforcePerSubject removes messages above the limit. Lock should be held.
func (s *Store) enforcePerSubject(subject string) {
	for ss := s.stateLocked(1, subject); ss.Msgs > s.maxPer; ss = s.stateLocked(1, subject) {
		if mb := s.selectBlock(ss.First); mb == nil || !mb.remove(ss.First) {
			return
		}
	}
}

// selectBlock returns the block that covers seq. Lock should be held.
func (s *Store) selectBlock(seq uint64) *block {
	for i := len(s.blks) - 1; i >= 0; i-- {
		if s.blks[i].first <= seq {
			return s.blks[i]
		}
	}
	return nil
}

// stateLocked sums up a subject from sseq on. Lock should be held.
func (s *Store) stateLocked(sseq uint64, subject string) (ss SimpleState) {
	for _, mb := range s.blks {
		bs := mb.pending(subject)
		if bs.Msgs == 0 || bs.Last < sseq {
			continue
		}
		ss.Msgs += bs.Msgs
		if ss.First == 0 {
			ss.First = bs.First
		}
		ss.Last = bs.Last
	}
	return ss
}

// FilteredState returns the state of one subject, counting whole blocks from sseq on.
func (s *Store) FilteredState(sseq uint64, subject string) SimpleState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.stateLocked(sseq, subject)
}

// LoadMsg returns the message with the given sequence.
func (s *Store) LoadMsg(seq uint64) (*Msg, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if mb := s.selectBlock(seq); mb != nil {
		if m := mb.fetch(seq); m != nil {
			return m, nil
		}
	}
	return nil, ErrMsgNotFound
}

// loadLast walks the blocks backwards to the last message of a subject.
func (s *Store) loadLast(subject string) *Msg {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := len(s.blks) - 1; i >= 0; i-- {
		if m := s.blks[i].lastFor(subject); m != nil {
			return m
		}
	}
	return nil
}

// LoadLastMsg returns the last message of a subject.
func (s *Store) LoadLastMsg(subject string) (*Msg, error) {
	m := s.loadLast(subject)
	if m == nil {
		return nil, ErrMsgNotFound
	}
	return m, nil
}
