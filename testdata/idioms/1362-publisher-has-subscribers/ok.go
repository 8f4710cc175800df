package badger

import (
	"strings"
	"sync"
	"sync/atomic"
)

type entry struct {
	Key, Value []byte
}

// request is pooled, it is returned when nobody has a reference.
type request struct {
	Entries []*entry
	ref     atomic.Int32
	Wg      sync.WaitGroup
}

var requestPool = sync.Pool{New: func() any { return new(request) }}

func (req *request) IncrRef() { req.ref.Add(1) }

func (req *request) DecrRef() {
	if req.ref.Add(-1) > 0 {
		return
	}
	req.Entries = nil
	requestPool.Put(req)
}

type subscriber struct {
	id     uint64
	prefix string
	sendCh chan []entry
	// used to track whether the subscriber is active or not
	active *atomic.Uint64
}

type publisher struct {
	sync.Mutex
	pubCh       chan []*request
	subscribers map[uint64]subscriber
	nextID      uint64
}

func newPublisher() *publisher {
	return &publisher{pubCh: make(chan []*request, 1000), subscribers: make(map[uint64]subscriber)}
}

// listenForUpdates runs until the writer has stopped and closed pubCh.
func (p *publisher) listenForUpdates() {
	for reqs := range p.pubCh {
		p.publishUpdates(reqs)
	}
}

func (p *publisher) publishUpdates(reqs []*request) {
	p.Lock()
	defer func() {
		p.Unlock()
		// Release all the request.
		for _, req := range reqs {
			req.DecrRef()
		}
	}()
	batchedUpdates := make(map[uint64][]entry)
	for _, req := range reqs {
		for _, e := range req.Entries {
			for id, s := range p.subscribers {
				if strings.HasPrefix(string(e.Key), s.prefix) {
					batchedUpdates[id] = append(batchedUpdates[id], *e)
				}
			}
		}
	}
	for id, kvs := range batchedUpdates {
		if p.subscribers[id].active.Load() == 1 {
			p.subscribers[id].sendCh <- kvs
		}
	}
}

// newSubscriber delivers the updates of writes that begin after it has returned.
func (p *publisher) newSubscriber(prefix string) subscriber {
	p.Lock()
	defer p.Unlock()
	s := subscriber{id: p.nextID, prefix: prefix, sendCh: make(chan []entry, 1000), active: new(atomic.Uint64)}
	p.nextID++
	s.active.Store(1)
	p.subscribers[s.id] = s
	return s
}

func (p *publisher) deleteSubscriber(id uint64) {
	p.Lock()
	defer p.Unlock()
	delete(p.subscribers, id)
}

func (p *publisher) sendUpdates(reqs []*request) {
	if p.noOfSubscribers() != 0 {
		for _, req := range reqs {
			req.IncrRef()
		}
		p.pubCh <- reqs
	}
}

func (p *publisher) noOfSubscribers() int {
	p.Lock()
	defer p.Unlock()
	return len(p.subscribers)
}

// DB writes batches of requests on one goroutine.
type DB struct {
	pub     *publisher
	writeCh chan *request
	apply   func(*entry)
}

func (db *DB) doWrites() {
	defer close(db.pub.pubCh)
	for req := range db.writeCh {
		reqs := []*request{req}
		for len(db.writeCh) > 0 {
			reqs = append(reqs, <-db.writeCh)
		}
		db.pub.sendUpdates(reqs)
		for _, req := range reqs {
			for _, e := range req.Entries {
				db.apply(e)
			}
			req.Wg.Done()
		}
	}
}

// Set writes the entries and waits.
func (db *DB) Set(entries ...*entry) {
	req := requestPool.Get().(*request)
	req.Entries = entries
	req.Wg.Add(1)
	req.IncrRef()
	db.writeCh <- req
	req.Wg.Wait()
	req.DecrRef()
}

// Subscribe calls cb with updates until stop is closed.
func (db *DB) Subscribe(stop <-chan struct{}, prefix string, cb func([]entry)) {
	s := db.pub.newSubscriber(prefix)
	defer db.pub.deleteSubscriber(s.id)
	for {
		select {
		case kvs := <-s.sendCh:
			cb(kvs)
		case <-stop:
			s.active.Store(0)
			// a publication in progress may still wait for space
			for {
				select {
				case <-s.sendCh:
					continue
				default:
				}
				return
			}
		}
	}
}
