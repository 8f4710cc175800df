package lrsclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

type ServerIdentifier struct {
	ServerURI string
}

// Transport provides streams to a server.
type Transport interface {
	NewStream(ctx context.Context, method string) (Stream, error)
	Close()
}

type Stream interface {
	Send(loads map[string]int64) error
}

type TransportBuilder interface {
	Build(si ServerIdentifier) (Transport, error)
}

// LoadStore keeps the loads for multiple clusters to be reported via LRS.
type LoadStore struct {
	mu       sync.Mutex
	clusters map[string]int64
}

func newLoadStore() *LoadStore {
	return &LoadStore{clusters: make(map[string]int64)}
}

// CallStarted counts a call to the cluster.
func (ls *LoadStore) CallStarted(cluster string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.clusters[cluster]++
}

func (ls *LoadStore) stats() map[string]int64 {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	s := ls.clusters
	ls.clusters = make(map[string]int64)
	return s
}

// Report is what a caller of ReportLoad holds.
type Report struct {
	*LoadStore
	once sync.Once
	lrs  *streamImpl
}

// Stop gives the report back, it must be called once it is not needed any more.
func (r *Report) Stop() {
	r.once.Do(r.lrs.stop)
}

// LRSClient is an LRS (Load Reporting Service) client.
type LRSClient struct {
	transportBuilder TransportBuilder
	interval         time.Duration

	// The LRSClient owns a bunch of streams to individual LRS servers.
	//
	// Once all references to a stream are dropped, the stream is closed.
	mu         sync.Mutex
	lrsStreams map[ServerIdentifier]*streamImpl
	lrsRefs    map[ServerIdentifier]int // Number of references.
}

func New(b TransportBuilder, interval time.Duration) (*LRSClient, error) {
	if b == nil {
		return nil, errors.New("lrsclient: transport builder is nil")
	}
	return &LRSClient{
		transportBuilder: b,
		interval:         interval,
		lrsStreams:       make(map[ServerIdentifier]*streamImpl),
		lrsRefs:          make(map[ServerIdentifier]int),
	}, nil
}

// ReportLoad creates and returns a store for the caller to report loads using
// a LoadReportingStream.
func (c *LRSClient) ReportLoad(si ServerIdentifier) (*Report, error) {
	lrs, err := c.getOrCreateLRSStream(si)
	if err != nil {
		return nil, err
	}
	return &Report{LoadStore: lrs.loadStore, lrs: lrs}, nil
}

// getOrCreateLRSStream returns the stream to the server, it makes one if there
// is none.
func (c *LRSClient) getOrCreateLRSStream(si ServerIdentifier) (*streamImpl, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	// Use an existing stream, if one exists for this server identifier.
	if s, ok := c.lrsStreams[si]; ok {
		c.lrsRefs[si]++
		return s, nil
	}

	// Create a new transport and create a new lrs stream, and add it to the
	// map of lrs streams.
	tr, err := c.transportBuilder.Build(si)
	if err != nil {
		return nil, fmt.Errorf("lrsclient: failed to create transport for server identifier %s: %v", si, err)
	}
	lrs := &streamImpl{transport: tr, interval: c.interval}
	// Register a stop function that decrements the reference count, stops
	// the LRS stream when the last reference is removed and closes the
	// transport and removes the lrs stream from the map.
	lrs.stop = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.lrsRefs[si] > 1 {
			c.lrsRefs[si]--
			return
		}
		lrs.cancelStream()
		<-lrs.doneCh
		delete(c.lrsStreams, si)
		delete(c.lrsRefs, si)
		tr.Close()
	}
	lrs.start()
	c.lrsStreams[si] = lrs
	c.lrsRefs[si] = 1
	return lrs, nil
}

// NumStreams returns the number of open streams.
func (c *LRSClient) NumStreams() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lrsStreams)
}

// streamImpl provides all the functionality associated with an LRS stream.
type streamImpl struct {
	transport Transport
	interval  time.Duration
	stop      func() // Function to give a reference back.

	// The following fields are set before the stream is put into the map and
	// are read-only afterwards.
	doneCh       chan struct{}
	cancelStream context.CancelFunc
	loadStore    *LoadStore // LoadStore returned to user for pushing loads.
}

func (lrs *streamImpl) start() {
	ctx, cancel := context.WithCancel(context.Background())
	lrs.cancelStream = cancel
	lrs.doneCh = make(chan struct{})
	lrs.loadStore = newLoadStore()
	go lrs.runner(ctx, lrs.loadStore, lrs.doneCh)
}

// runner is responsible for managing the lifetime of an LRS streaming call.
func (lrs *streamImpl) runner(ctx context.Context, ls *LoadStore, doneCh chan struct{}) {
	defer close(doneCh)
	t := time.NewTicker(lrs.interval)
	defer t.Stop()
	var stream Stream
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if stream == nil {
			s, err := lrs.transport.NewStream(ctx, "LoadReportingService/StreamLoadStats")
			if err != nil {
				continue
			}
			stream = s
		}
		if stream.Send(ls.stats()) != nil {
			stream = nil
		}
	}
}
