package fix

import "sync"

type inMsg struct {
	iname string
	dseq  uint64
	sseq  uint64
	data  []byte
}

// sourceInfo is guarded by the lock of its stream.
type sourceInfo struct {
	iname string
	cname string
	dseq  uint64
	sseq  uint64
}

type raftState struct {
	leader bool
}

type stream struct {
	mu      sync.RWMutex
	node    *raftState // nil if not clustered
	sources map[string]*sourceInfo
	store   [][]byte
	msgs    chan *inMsg
	lch     chan bool
	qch     chan struct{}
}

func newStream(node *raftState) *stream {
	mset := &stream{
		node:    node,
		sources: make(map[string]*sourceInfo),
		msgs:    make(chan *inMsg, 64),
		lch:     make(chan bool),
		qch:     make(chan struct{}),
	}
	go mset.monitorStream()
	go mset.processAllSourceMsgs()
	return mset
}

// IsLeader will return if we are the current leader.
func (mset *stream) IsLeader() bool {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.isLeader()
}

// Lock should be held.
func (mset *stream) isLeader() bool {
	if mset.node != nil {
		return mset.node.leader
	}
	return true
}

func (mset *stream) setLeader(isLeader bool) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.node != nil {
		mset.node.leader = isLeader
	}
	if isLeader {
		mset.startingSequenceForSources()
	}
}

// The new leader continues behind what is in the store.
// Lock should be held.
func (mset *stream) startingSequenceForSources() {
	for _, si := range mset.sources {
		si.cname, si.dseq = "", 0
		si.sseq = uint64(len(mset.store))
	}
}

func (mset *stream) monitorStream() {
	for {
		select {
		case isLeader := <-mset.lch:
			mset.setLeader(isLeader)
		case <-mset.qch:
			return
		}
	}
}

// Lock should be held.
func (mset *stream) cancelSourceConsumer(iname string) {
	if si := mset.sources[iname]; si != nil {
		si.cname = ""
		si.dseq, si.sseq = 0, 0
	}
}

// processAllSourceMsgs is the goroutine that takes what the sources send.
func (mset *stream) processAllSourceMsgs() {
	for {
		select {
		case im := <-mset.msgs:
			mset.processInboundSourceMsg(im)
		case <-mset.qch:
			return
		}
	}
}

// processInboundSourceMsg handles processing other stream messages bound for this stream.
func (mset *stream) processInboundSourceMsg(m *inMsg) bool {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	// If we are no longer the leader cancel this subscriber.
	if !mset.isLeader() {
		mset.cancelSourceConsumer(m.iname)
		return false
	}

	si := mset.sources[m.iname]
	if si == nil {
		return false
	}

	// Tracking is done here.
	if m.dseq == si.dseq+1 {
		si.dseq++
		si.sseq = m.sseq
	} else if m.dseq > si.dseq && si.cname == "" {
		si.cname = m.iname
		si.dseq, si.sseq = m.dseq, m.sseq
	} else {
		return false
	}
	mset.store = append(mset.store, m.data)
	return true
}

func (mset *stream) addSource(iname string) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.sources[iname] = &sourceInfo{iname: iname}
}
