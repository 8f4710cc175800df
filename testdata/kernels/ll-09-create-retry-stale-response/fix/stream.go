package server

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

type ConsumerConfig struct {
	Name          string `json:"name"`
	DeliverPolicy string `json:"deliver_policy"`
	OptStartSeq   uint64 `json:"opt_start_seq,omitempty"`
}

type CreateConsumerRequest struct {
	Stream string         `json:"stream_name"`
	Config ConsumerConfig `json:"config"`
}

type JSApiConsumerCreateResponse struct {
	Error    string `json:"error,omitempty"`
	ErrCode  int    `json:"err_code,omitempty"`
	Name     string `json:"name"`
	Delivery uint64 `json:"delivered"`
}

const (
	nameExistErr    = 10148
	startSeqTooLow  = 10094
	responseTimeout = 5 * time.Second
)

type msgHandler func(reply string, msg []byte)

// Bus delivers the messages, also those of other servers. Handlers are called
// on the goroutine of the sender.
type Bus struct {
	mu   sync.RWMutex
	subs map[string]*subscription
}

type subscription struct {
	subject string
	cb      msgHandler
}

func NewBus() *Bus { return &Bus{subs: make(map[string]*subscription)} }

func (b *Bus) Subscribe(subject string, cb msgHandler) *subscription {
	sub := &subscription{subject, cb}
	b.mu.Lock()
	b.subs[subject] = sub
	b.mu.Unlock()
	return sub
}

func (b *Bus) Unsubscribe(sub *subscription) {
	b.mu.Lock()
	if b.subs[sub.subject] == sub {
		delete(b.subs, sub.subject)
	}
	b.mu.Unlock()
}

func (b *Bus) Send(subject, reply string, msg []byte) {
	b.mu.RLock()
	sub := b.subs[subject]
	b.mu.RUnlock()
	if sub != nil {
		go sub.cb(reply, msg)
	}
}

type sourceInfo struct {
	name  string
	cname string
	sseq  uint64
	dseq  uint64
	err   string
	sip   bool // setup in progress
	lreq  time.Time
	sub   *subscription
}

type stream struct {
	mu     sync.RWMutex
	name   string
	bus    *Bus
	mirror *sourceInfo
	qch    chan struct{}
	closed bool
	msgs   uint64
}

func newMirror(name, origin string, bus *Bus) *stream {
	mset := &stream{name: name, bus: bus, mirror: &sourceInfo{name: origin}, qch: make(chan struct{})}
	mset.setupMirrorConsumer()
	return mset
}

func (mset *stream) stop() {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.closed {
		return
	}
	mset.closed = true
	close(mset.qch)
	if mset.mirror.sub != nil {
		mset.bus.Unsubscribe(mset.mirror.sub)
	}
}

// setupMirrorConsumer asks the origin for a consumer and attaches to it.
func (mset *stream) setupMirrorConsumer() {
	mset.mu.Lock()
	defer mset.mu.Unlock()

	mirror := mset.mirror
	if mirror.sip || mset.closed {
		return
	}
	mirror.sip = true
	mirror.lreq = time.Now()

	req := CreateConsumerRequest{
		Stream: mirror.name,
		Config: ConsumerConfig{Name: consumerName(mset.name), DeliverPolicy: "by_start_sequence", OptStartSeq: mirror.sseq + 1},
	}

	newReplySubscription := func() (string, chan *JSApiConsumerCreateResponse, *subscription) {
		respCh := make(chan *JSApiConsumerCreateResponse, 1)
		reply := infoReplySubject()
		crSub := mset.bus.Subscribe(reply, func(_ string, msg []byte) {
			var ccr JSApiConsumerCreateResponse
			if err := json.Unmarshal(msg, &ccr); err != nil {
				mset.setMirrorErr("invalid JSON")
				return
			}
			select {
			case respCh <- &ccr:
			default:
			}
		})
		return reply, respCh, crSub
	}
	reply, respCh, crSub := newReplySubscription()
	b, _ := json.Marshal(req)
	mset.bus.Send(createSubject(mirror.name, req.Config.Name), reply, b)

	go func() {
		retry := false
		defer func() {
			mset.mu.Lock()
			mset.bus.Unsubscribe(crSub)
			mirror.sip = false
			mset.mu.Unlock()
			if retry {
				mset.scheduleSetupMirrorConsumerRetry()
			}
		}()

		// Wait for previous processMsgs to be done.
	SELECT:
		select {
		case ccr := <-respCh:
			mset.mu.Lock()
			if mset.closed {
				mset.mu.Unlock()
				return
			}
			if ccr.Error != "" {
				mirror.err = ccr.Error
				switch ccr.ErrCode {
				case nameExistErr:
					// Another server has taken the name, try with a new one.
					req.Config.Name = consumerName(mset.name)
				case startSeqTooLow:
					// The origin is behind of us, take what there is.
					req.Config.DeliverPolicy, req.Config.OptStartSeq = "all", 0
				default:
					retry = true
					mset.mu.Unlock()
					return
				}
				b, _ := json.Marshal(req)
				// Recreate the reply subscription so we don't get stale responses from other servers.
				mset.bus.Unsubscribe(crSub)
				reply, respCh, crSub = newReplySubscription()
				mset.bus.Send(createSubject(mirror.name, req.Config.Name), reply, b)
				mset.mu.Unlock()
				goto SELECT
			}
			// Attach to the consumer.
			if mirror.sub != nil {
				mset.bus.Unsubscribe(mirror.sub)
			}
			mirror.err = ""
			mirror.cname = req.Config.Name
			mirror.dseq = ccr.Delivery
			mirror.sub = mset.bus.Subscribe(deliverSubject(mirror.cname), mset.processMirrorMsg)
			mset.mu.Unlock()
		case <-time.After(responseTimeout):
			retry = true
		case <-mset.qch:
		}
	}()
}

func (mset *stream) scheduleSetupMirrorConsumerRetry() {
	next := 2*time.Second + time.Duration(rand.Intn(1000))*time.Millisecond
	time.AfterFunc(next, func() {
		select {
		case <-mset.qch:
		default:
			mset.setupMirrorConsumer()
		}
	})
}

func (mset *stream) setMirrorErr(err string) {
	mset.mu.Lock()
	mset.mirror.err = err
	mset.mu.Unlock()
}

func (mset *stream) processMirrorMsg(_ string, msg []byte) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.mirror.dseq++
	mset.mirror.sseq++
	mset.msgs++
}

func infoReplySubject() string {
	return fmt.Sprintf("_INBOX.%x", rand.Int63())
}

func consumerName(stream string) string {
	return fmt.Sprintf("%s-%x", stream, rand.Int31())
}

func createSubject(stream, consumer string) string {
	return fmt.Sprintf("$JS.API.CONSUMER.CREATE.%s.%s", stream, consumer)
}

func deliverSubject(consumer string) string { return "$JS.M." + consumer }
