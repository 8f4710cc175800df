package msgstore

import "sync"

// Msg is one stored message.
type Msg struct {
	Seq     uint64
	Subject string
	Data    []byte
}

// SimpleState sums up the messages of one subject.
type SimpleState struct {
	Msgs, First, Last uint64
}

// block holds a run of consecutive sequences, with holes after removals.
type block struct {
	mu    sync.RWMutex
	first uint64
	msgs  map[uint64]*Msg
	fss   map[string]*SimpleState
}

func newBlock(first uint64) *block {
	return &block{
		first: first,
		msgs:  make(map[uint64]*Msg),
		fss:   make(map[string]*SimpleState),
	}
}

func (b *block) add(m *Msg) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.msgs[m.Seq] = m
	if ss := b.fss[m.Subject]; ss != nil {
		ss.Msgs++
		ss.Last = m.Seq
		return
	}
	b.fss[m.Subject] = &SimpleState{1, m.Seq, m.Seq}
}

// remove drops a message and keeps the subject state exact.
func (b *block) remove(seq uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.msgs[seq]
	if m == nil {
		return false
	}
	delete(b.msgs, seq)
	ss := b.fss[m.Subject]
	if ss.Msgs--; ss.Msgs == 0 {
		delete(b.fss, m.Subject)
		return true
	}
	for ss.First < ss.Last && !b.holds(ss.First, m.Subject) {
		ss.First++
	}
	for ss.Last > ss.First && !b.holds(ss.Last, m.Subject) {
		ss.Last--
	}
	return true
}

// holds reports if seq is present with the given subject. Lock should be held.
func (b *block) holds(seq uint64, subject string) bool {
	m := b.msgs[seq]
	return m != nil && m.Subject == subject
}

// pending returns the state of a subject in this block.
func (b *block) pending(subject string) (ss SimpleState) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if p := b.fss[subject]; p != nil {
		ss = *p
	}
	return ss
}

func (b *block) fetch(seq uint64) *Msg {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.msgs[seq]
}
