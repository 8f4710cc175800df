// Package ok prepares drafts of the next page on request.
package ok

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

const maxDrafts = 10

var (
	// ErrUnknownDraft is returned if a draft was never made or is forgotten.
	ErrUnknownDraft = errors.New("unknown draft")
	// ErrUnknownParent is returned for a head we do not have.
	ErrUnknownParent = errors.New("unknown parent")
	// ErrInvalidTime is returned for a page that is not after its parent.
	ErrInvalidTime = errors.New("invalid time")
)

// DraftID names a draft by what it was made of.
type DraftID [8]byte

// Options says what to make a draft of.
type Options struct {
	Parent string
	Time   uint64
	Payee  string
}

// ID computes the name of the draft.
func (o *Options) ID() DraftID {
	h := sha256.New()
	h.Write([]byte(o.Parent))
	binary.Write(h, binary.BigEndian, o.Time)
	h.Write([]byte(o.Payee))
	var id DraftID
	copy(id[:], h.Sum(nil))
	return id
}

// Draft gets better while its builder runs.
type Draft struct {
	id   DraftID
	lock sync.Mutex
	best []byte
	fees uint64
	stop chan struct{}
	once sync.Once
}

// improve takes a new version over if it pays more.
func (d *Draft) improve(page []byte, fees uint64) {
	d.lock.Lock()
	defer d.lock.Unlock()
	select {
	case <-d.stop:
		return
	default:
	}
	if d.best == nil || fees > d.fees {
		d.best, d.fees = page, fees
	}
}

// resolve returns the best version and ends the builder.
func (d *Draft) resolve() []byte {
	d.once.Do(func() { close(d.stop) })
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.best
}

// draftQueue holds the latest drafts.
type draftQueue struct {
	lock   sync.RWMutex
	drafts []*Draft
}

func newDraftQueue() *draftQueue {
	return &draftQueue{drafts: make([]*Draft, maxDrafts)}
}

func (q *draftQueue) put(d *Draft) {
	q.lock.Lock()
	defer q.lock.Unlock()
	copy(q.drafts[1:], q.drafts)
	q.drafts[0] = d
}

func (q *draftQueue) get(id DraftID) *Draft {
	q.lock.RLock()
	defer q.lock.RUnlock()
	for _, d := range q.drafts {
		if d == nil {
			return nil
		}
		if d.id == id {
			return d
		}
	}
	return nil
}

func (q *draftQueue) has(id DraftID) bool {
	return q.get(id) != nil
}

// Ledger is what pages are added to.
type Ledger interface {
	TimeOf(hash string) (uint64, bool)
	SetHead(hash string) error
	Assemble(o *Options) (page []byte, fees uint64, err error)
}

// API is called over the network.
type API struct {
	ledger Ledger
	drafts *draftQueue

	headLock sync.Mutex // held by UpdateHead
}

// NewAPI returns the API.
func NewAPI(l Ledger) *API {
	return &API{ledger: l, drafts: newDraftQueue()}
}

// UpdateHead sets the head and, if asked to, starts a draft on top of it.
func (a *API) UpdateHead(head string, opt *Options) (*DraftID, error) {
	a.headLock.Lock()
	defer a.headLock.Unlock()

	parentTime, ok := a.ledger.TimeOf(head)
	if !ok {
		return nil, ErrUnknownParent
	}
	if err := a.ledger.SetHead(head); err != nil {
		return nil, err
	}
	if opt == nil {
		return nil, nil
	}
	o := *opt
	o.Parent = head
	if o.Time <= parentTime {
		return nil, ErrInvalidTime
	}

	// If the draft is being made already, there is no need for another.
	id := o.ID()
	if a.drafts.has(id) {
		return &id, nil
	}
	d, err := a.build(id, &o)
	if err != nil {
		return nil, err
	}
	a.drafts.put(d)
	return &id, nil
}

// build makes an empty draft and improves it in the background.
func (a *API) build(id DraftID, o *Options) (*Draft, error) {
	page, fees, err := a.ledger.Assemble(o)
	if err != nil {
		return nil, err
	}
	d := &Draft{id: id, best: page, fees: fees, stop: make(chan struct{})}
	go func() {
		end := time.NewTimer(12 * time.Second)
		defer end.Stop()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if page, fees, err := a.ledger.Assemble(o); err == nil {
					d.improve(page, fees)
				}
			case <-d.stop:
				return
			case <-end.C:
				return
			}
		}
	}()
	return d, nil
}

// GetDraft returns the page.
func (a *API) GetDraft(id DraftID) ([]byte, error) {
	d := a.drafts.get(id)
	if d == nil {
		return nil, ErrUnknownDraft
	}
	return d.resolve(), nil
}
