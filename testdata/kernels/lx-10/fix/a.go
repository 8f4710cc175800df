package fix

import "sync"

type Address [20]byte
type Hash [32]byte

// StateDB is an immutable state of the chain.
type StateDB struct {
	Number uint64
	Nonces map[Address]uint64
}

type Transaction struct {
	Hash  Hash
	From  Address
	Nonce uint64
}

type ChainEvent struct {
	Number uint64
}

// Subscription is one receiver of a TypeMux.
type Subscription struct {
	mux    *TypeMux
	postC  chan ChainEvent
	closed chan struct{}
	once   sync.Once
}

func (s *Subscription) Chan() <-chan ChainEvent { return s.postC }

func (s *Subscription) Unsubscribe() {
	s.once.Do(func() {
		s.mux.del(s)
		close(s.closed)
	})
}

// TypeMux dispatches events to the receivers that are registered at the time of the post.
type TypeMux struct {
	mutex sync.RWMutex
	subs  []*Subscription
}

func (mux *TypeMux) Subscribe() *Subscription {
	sub := &Subscription{mux: mux, postC: make(chan ChainEvent), closed: make(chan struct{})}
	mux.mutex.Lock()
	defer mux.mutex.Unlock()
	// copy-on-write, Post iterates without the lock
	mux.subs = append(append([]*Subscription(nil), mux.subs...), sub)
	return sub
}

func (mux *TypeMux) Post(ev ChainEvent) {
	mux.mutex.RLock()
	subs := mux.subs
	mux.mutex.RUnlock()
	for _, sub := range subs {
		select {
		case sub.postC <- ev:
		case <-sub.closed:
		}
	}
}

func (mux *TypeMux) del(s *Subscription) {
	mux.mutex.Lock()
	defer mux.mutex.Unlock()
	var subs []*Subscription
	for _, sub := range mux.subs {
		if sub != s {
			subs = append(subs, sub)
		}
	}
	mux.subs = subs
}

type stateFn func() *StateDB

// TxPool contains all currently known transactions.
type TxPool struct {
	quit         chan struct{}
	currentState stateFn // The state function which will allow us to do some pre checks
	eventMux     *TypeMux
	events       *Subscription

	mu           sync.RWMutex
	pendingState map[Address]uint64
	pending      map[Hash]*Transaction // processable transactions
}

func NewTxPool(eventMux *TypeMux, currentStateFn stateFn) *TxPool {
	pool := &TxPool{
		quit:         make(chan struct{}),
		currentState: currentStateFn,
		eventMux:     eventMux,
		events:       eventMux.Subscribe(),
		pending:      make(map[Hash]*Transaction),
	}
	pool.pendingState = manageState(currentStateFn())
	go pool.eventLoop()

	return pool
}

func manageState(st *StateDB) map[Address]uint64 {
	m := make(map[Address]uint64, len(st.Nonces))
	for a, n := range st.Nonces {
		m[a] = n
	}
	return m
}

func (pool *TxPool) eventLoop() {
	// Track chain events. When a chain event occurs (new chain canon block)
	// we need to know the new state. The new state will help us determine
	// the nonces in the managed state
	defer pool.events.Unsubscribe()
	for {
		select {
		case <-pool.events.Chan():
			pool.mu.Lock()
			pool.resetState()
			pool.mu.Unlock()
		case <-pool.quit:
			return
		}
	}
}

// Lock should be held.
func (pool *TxPool) resetState() {
	pool.pendingState = manageState(pool.currentState())
	for hash, tx := range pool.pending {
		if tx.Nonce < pool.pendingState[tx.From] {
			delete(pool.pending, hash)
		}
	}
	for _, tx := range pool.pending {
		if tx.Nonce >= pool.pendingState[tx.From] {
			pool.pendingState[tx.From] = tx.Nonce + 1
		}
	}
}

// Add takes the transaction if its nonce is not used up.
func (pool *TxPool) Add(tx *Transaction) bool {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if tx.Nonce < pool.pendingState[tx.From] {
		return false
	}
	pool.pending[tx.Hash] = tx
	pool.pendingState[tx.From] = tx.Nonce + 1
	return true
}

func (pool *TxPool) Stop() { close(pool.quit) }
