// Package xdsclient reads resources from a management server over one stream.
package xdsclient

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

type ResourceType string

type Stream interface {
	Send(*DiscoveryRequest) error
	Recv() (*DiscoveryResponse, error)
}

type Transport interface {
	NewStream(ctx context.Context) (Stream, error)
}

type DiscoveryRequest struct {
	TypeURL string
	Names   []string
	Version string
	Nonce   string
	Err     error
}

type DiscoveryResponse struct {
	TypeURL   string
	Resources map[string][]byte
	Version   string
	Nonce     string
}

// adsStreamEventHandler is told about the responses; onDone has to be called
// once all watchers have processed the update.
type adsStreamEventHandler interface {
	onStreamError(error)
	onResponse(resp *DiscoveryResponse, onDone func()) error
}

type resourceTypeState struct {
	version             string
	nonce               string
	subscribedResources map[string]bool
	bufferedRequest     bool // a request waits for the local processing to end
}

// adsStreamImpl provides the functionality associated with an ADS stream.
type adsStreamImpl struct {
	transport    Transport
	eventHandler adsStreamEventHandler
	backoff      func(int) time.Duration

	streamCh     chan Stream
	requestCh    chan ResourceType
	runnerDoneCh chan struct{}
	cancel       context.CancelFunc

	mu                sync.Mutex
	resourceTypeState map[ResourceType]*resourceTypeState
	fc                *adsFlowControl
}

func newADSStreamImpl(t Transport, eh adsStreamEventHandler, backoff func(int) time.Duration) *adsStreamImpl {
	s := &adsStreamImpl{
		transport:         t,
		eventHandler:      eh,
		backoff:           backoff,
		streamCh:          make(chan Stream, 1),
		requestCh:         make(chan ResourceType, 64),
		runnerDoneCh:      make(chan struct{}),
		resourceTypeState: make(map[ResourceType]*resourceTypeState),
		fc:                newADSFlowControl(),
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go s.runner(ctx)
	return s
}

func (s *adsStreamImpl) Stop() {
	s.cancel()
	<-s.runnerDoneCh
}

func (s *adsStreamImpl) subscribe(typ ResourceType, name string) {
	s.mu.Lock()
	state, ok := s.resourceTypeState[typ]
	if !ok {
		state = &resourceTypeState{subscribedResources: make(map[string]bool)}
		s.resourceTypeState[typ] = state
	}
	state.subscribedResources[name] = true
	s.mu.Unlock()
	s.requestCh <- typ
}

func (s *adsStreamImpl) runner(ctx context.Context) {
	defer close(s.runnerDoneCh)
	go s.send(ctx)
	for attempt := 0; ctx.Err() == nil; attempt++ {
		stream, err := s.transport.NewStream(ctx)
		if err == nil {
			select {
			case <-s.streamCh:
			default:
			}
			s.streamCh <- stream
			if s.recv(ctx, stream) {
				attempt = 0
			}
		}
		select {
		case <-time.After(s.backoff(attempt)):
		case <-ctx.Done():
		}
	}
}

func (s *adsStreamImpl) send(ctx context.Context) {
	var stream Stream
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case stream = <-s.streamCh:
			s.mu.Lock()
			for typ, state := range s.resourceTypeState {
				state.nonce, state.bufferedRequest = "", false
				if err = s.sendLocked(stream, typ, state, nil); err != nil {
					break
				}
			}
			s.mu.Unlock()
		case typ := <-s.requestCh:
			err = s.sendNew(stream, typ)
		}
		if err != nil {
			stream = nil
		}
	}
}

func (s *adsStreamImpl) sendNew(stream Stream, typ ResourceType) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stream == nil {
		return nil
	}
	state := s.resourceTypeState[typ]
	if s.fc.pending.Load() {
		state.bufferedRequest = true
		return nil
	}
	return s.sendLocked(stream, typ, state, nil)
}

func (s *adsStreamImpl) sendBuffered(stream Stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for typ, state := range s.resourceTypeState {
		if state.bufferedRequest {
			state.bufferedRequest = false
			if err := s.sendLocked(stream, typ, state, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *adsStreamImpl) sendLocked(stream Stream, typ ResourceType, state *resourceTypeState, nack error) error {
	req := &DiscoveryRequest{TypeURL: string(typ), Version: state.version, Nonce: state.nonce, Err: nack}
	for name := range state.subscribedResources {
		req.Names = append(req.Names, name)
	}
	return stream.Send(req)
}

func (s *adsStreamImpl) recv(ctx context.Context, stream Stream) bool {
	msgReceived := false
	for {
		// Wait for ADS stream level flow control to be available, and send out
		// a request if anything was buffered while we were waiting for local
		// processing of the previous response to complete.
		if !s.fc.wait(ctx) {
			return msgReceived
		}
		s.sendBuffered(stream)

		resp, err := stream.Recv()
		if err != nil {
			s.eventHandler.onStreamError(err)
			return msgReceived
		}
		msgReceived = true
		s.fc.setPending()
		nack := s.eventHandler.onResponse(resp, sync.OnceFunc(s.fc.onDone))
		s.onRecv(stream, resp, nack)
	}
}

func (s *adsStreamImpl) onRecv(stream Stream, resp *DiscoveryResponse, nack error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, ok := s.resourceTypeState[ResourceType(resp.TypeURL)]
	if !ok {
		return
	}
	state.nonce = resp.Nonce
	if nack == nil {
		state.version = resp.Version
	}
	s.sendLocked(stream, ResourceType(resp.TypeURL), state, nack)
}

// adsFlowControl implements ADS stream level flow control that enables the
// transport to block the reading of the next message off of the stream until
// the previous update is consumed by all watchers.
type adsFlowControl struct {
	// Whether the most recent update is pending consumption by all watchers.
	pending atomic.Bool
	// Channel used to notify when all the watchers have consumed the most
	// recent update. wait() blocks on reading a value from this channel.
	readyCh chan struct{}
}

func newADSFlowControl() *adsFlowControl { return &adsFlowControl{readyCh: make(chan struct{}, 1)} }

// setPending tells that there is an update pending consumption.
func (fc *adsFlowControl) setPending() { fc.pending.Store(true) }

// wait blocks until all the watchers have consumed the most recent update and
// returns true. If the context expires before that, it returns false.
func (fc *adsFlowControl) wait(ctx context.Context) bool {
	if !fc.pending.Load() {
		select {
		case <-fc.readyCh:
		default:
		}
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-fc.readyCh:
		return true
	}
}

// onDone indicates that all watchers have consumed the most recent update.
func (fc *adsFlowControl) onDone() {
	select {
	case fc.readyCh <- struct{}{}:
	default:
	}
	fc.pending.Store(false)
}
