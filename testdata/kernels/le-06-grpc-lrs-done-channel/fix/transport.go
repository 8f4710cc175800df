package transport

import (
	"context"
	"errors"
	"io"
	"log"
	"sync"
	"time"
)

// ClientConn is the connection to the management server.
type ClientConn interface {
	StreamLoadStats(ctx context.Context) (lrsStream, error)
	StreamAggregatedResources(ctx context.Context) (adsStream, error)
	Close() error
}

type adsStream interface {
	Send(names []string) error
	Recv() ([]string, error)
}

// UpdateHandlerFunc is invoked with the resources that were received.
type UpdateHandlerFunc func(resources []string) error

// Transport provides a resource-type agnostic implementation of the xDS
// transport protocol.
type Transport struct {
	// These fields are initialized at creation time and are read-only afterwards.
	cc              ClientConn              // ClientConn to the mangement server.
	serverURI       string                  // URI of the management server.
	updateHandler   UpdateHandlerFunc       // Resource update handler. xDS data model layer.
	lrsStore        *Store                  // Store returned to user for pushing loads.
	backoff         func(int) time.Duration // Backoff after stream failures.
	adsRunnerCancel context.CancelFunc      // CancelFunc for the ADS goroutine.
	adsRunnerDoneCh chan struct{}           // To notify exit of ADS goroutine.
	lrsRunnerDoneCh chan struct{}           // To notify exit of LRS goroutine.

	// mu guards the following runtime state maintained by the transport.
	mu sync.Mutex
	// resources is the set of resource names being requested. When the ADS
	// stream is restarted, the transport requests all these resources again
	// from the management server.
	resources map[string]bool

	lrsMu           sync.Mutex         // Protects all LRS state.
	lrsCancelStream context.CancelFunc // CancelFunc for the LRS stream.
	lrsRefCount     int                // Reference count on the load store.
}

// New creates a new Transport.
func New(cc ClientConn, uri string, h UpdateHandlerFunc, boff func(int) time.Duration) (*Transport, error) {
	if uri == "" {
		return nil, errors.New("missing server URI when creating a new transport")
	}
	ret := &Transport{
		cc:              cc,
		serverURI:       uri,
		updateHandler:   h,
		lrsStore:        NewStore(),
		backoff:         boff,
		resources:       make(map[string]bool),
		adsRunnerDoneCh: make(chan struct{}),
	}

	// This context is used for sending and receiving RPC requests and
	// responses. Cancelling it when the transport is closed will cause the
	// goroutines to terminate.
	ctx, cancel := context.WithCancel(context.Background())
	ret.adsRunnerCancel = cancel
	go ret.adsRunner(ctx)
	return ret, nil
}

// SendRequest adds the resource names to the set that is requested when the
// stream is (re)started.
func (t *Transport) SendRequest(names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range names {
		t.resources[n] = true
	}
}

func (t *Transport) resourceNames() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := make([]string, 0, len(t.resources))
	for n := range t.resources {
		names = append(names, n)
	}
	return names
}

// adsRunner starts an ADS stream (and backs off exponentially, if the previous
// stream failed without receiving a single reply) and runs the receive loop.
func (t *Transport) adsRunner(ctx context.Context) {
	defer close(t.adsRunnerDoneCh)

	for attempt := 0; ctx.Err() == nil; attempt++ {
		stream, err := t.cc.StreamAggregatedResources(ctx)
		if err == nil {
			if err = stream.Send(t.resourceNames()); err == nil {
				t.recv(stream)
			}
		}
		select {
		case <-time.After(t.backoff(attempt)):
		case <-ctx.Done():
			return
		}
	}
}

func (t *Transport) recv(stream adsStream) {
	for {
		resources, err := stream.Recv()
		if err != nil {
			if err != io.EOF {
				log.Printf("ADS stream closed: %v", err)
			}
			return
		}
		if err := t.updateHandler(resources); err != nil {
			log.Printf("NACKing update: %v", err)
		}
	}
}

// Close closes the Transport and frees any associated resources.
func (t *Transport) Close() {
	t.adsRunnerCancel()
	<-t.adsRunnerDoneCh
	t.cc.Close()
}
