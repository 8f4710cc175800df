package embed

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

type Config struct {
	Name                string
	ListenPeerAddrs     []string
	ListenClientAddrs   []string
	ListenMetricsAddrs  []string
	MaxRequestTimeoutMs int
}

// Etcd contains a running etcd server and its listeners.
type Etcd struct {
	Peers            []*peerListener
	Clients          []net.Listener
	sctxs            []*serveCtx
	metricsListeners []net.Listener

	cfg   Config
	stopc chan struct{}
	errc  chan error

	closeOnce sync.Once
	// wg is used to track the lifecycle of all sub goroutines created by `StartEtcd`.
	wg sync.WaitGroup
}

type peerListener struct {
	net.Listener
	srv *http.Server
}

func (p *peerListener) serve() error { return p.srv.Serve(p.Listener) }

func (p *peerListener) close(ctx context.Context) error { return p.srv.Shutdown(ctx) }

type serveCtx struct {
	l      net.Listener
	srv    *http.Server
	ctx    context.Context
	cancel context.CancelFunc
}

func newServeCtx(l net.Listener) *serveCtx {
	ctx, cancel := context.WithCancel(context.Background())
	return &serveCtx{l: l, srv: &http.Server{}, ctx: ctx, cancel: cancel}
}

func (sctx *serveCtx) serve(h http.Handler) error {
	sctx.srv.Handler = h
	err := sctx.srv.Serve(sctx.l)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// StartEtcd launches the etcd server and HTTP handlers for client/server communication.
func StartEtcd(cfg Config, h http.Handler) (e *Etcd, err error) {
	serving := false
	e = &Etcd{cfg: cfg, stopc: make(chan struct{})}
	defer func() {
		if e == nil || err == nil {
			return
		}
		if !serving {
			// errored before starting gRPC server for serveCtx.serversC
			for _, sctx := range e.sctxs {
				sctx.cancel()
			}
		}
		e.Close()
		e = nil
	}()

	for _, a := range cfg.ListenPeerAddrs {
		l, err := net.Listen("tcp", a)
		if err != nil {
			return e, err
		}
		e.Peers = append(e.Peers, &peerListener{Listener: l, srv: &http.Server{Handler: h, ReadTimeout: 5 * time.Minute}})
	}
	for _, a := range cfg.ListenClientAddrs {
		l, err := net.Listen("tcp", a)
		if err != nil {
			return e, err
		}
		e.Clients = append(e.Clients, l)
		e.sctxs = append(e.sctxs, newServeCtx(l))
	}

	// buffer channel so goroutines on closed connections won't wait forever
	e.errc = make(chan error, len(e.Peers)+len(e.Clients)+2*len(e.sctxs))

	e.servePeers()
	e.serveClients(h)
	if err = e.serveMetrics(); err != nil {
		return e, err
	}
	serving = true
	return e, nil
}

// Close gracefully shuts down all servers/listeners.
// Client requests will be terminated with request timeout.
// After timeout, enforce remaning requests be closed immediately.
func (e *Etcd) Close() {
	log.Printf("closing etcd server %s", e.cfg.Name)
	defer log.Printf("closed etcd server %s", e.cfg.Name)

	e.closeOnce.Do(func() {
		close(e.stopc)
	})

	timeout := time.Duration(e.cfg.MaxRequestTimeoutMs) * time.Millisecond
	for _, sctx := range e.sctxs {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		sctx.srv.Shutdown(ctx)
		cancel()
	}

	for _, sctx := range e.sctxs {
		sctx.cancel()
	}

	for i := range e.Clients {
		if e.Clients[i] != nil {
			e.Clients[i].Close()
		}
	}

	for i := range e.metricsListeners {
		e.metricsListeners[i].Close()
	}

	// close all idle connections in peer handler (wait up to 1-second)
	for i := range e.Peers {
		if e.Peers[i] != nil {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			e.Peers[i].close(ctx)
			cancel()
		}
	}
	if e.errc != nil {
		e.wg.Wait()
		close(e.errc)
	}
}

// Err - return channel used to report errors during etcd run/shutdown.
// Since etcd 3.5 the channel is being closed when the etcd is over.
func (e *Etcd) Err() <-chan error {
	return e.errc
}

func (e *Etcd) servePeers() {
	// start peer servers in a goroutine
	for _, pl := range e.Peers {
		go func(l *peerListener) {
			log.Printf("serving peer traffic on %s", l.Addr())
			e.errHandler(l.serve())
		}(pl)
	}
}

func (e *Etcd) serveClients(h http.Handler) {
	// start client servers in each goroutine
	for _, sctx := range e.sctxs {
		go func(s *serveCtx) {
			e.errHandler(s.serve(h))
		}(sctx)
	}
}

func (e *Etcd) serveMetrics() (err error) {
	if len(e.cfg.ListenMetricsAddrs) == 0 {
		return nil
	}
	metricsMux := http.NewServeMux()
	for _, murl := range e.cfg.ListenMetricsAddrs {
		ml, err := net.Listen("tcp", murl)
		if err != nil {
			return err
		}
		e.metricsListeners = append(e.metricsListeners, ml)
		go func(u string, ln net.Listener) {
			log.Printf("serving metrics %s", u)
			e.errHandler(http.Serve(ln, metricsMux))
		}(murl, ml)
	}
	return nil
}

func (e *Etcd) errHandler(err error) {
	e.wg.Add(1)
	defer e.wg.Done()

	if err != nil {
		log.Printf("setting up serving from embedded etcd failed: %v", err)
	}
	select {
	case <-e.stopc:
		return
	default:
	}
	select {
	case <-e.stopc:
	case e.errc <- err:
	}
}
