package a

import (
	"context"
	"crypto/tls"
	"log"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Reloader follows a certificate on disk.
type Reloader struct {
	certFile, keyFile string

	loadMu  sync.Mutex
	modTime time.Time

	version atomic.Uint64
	cert    atomic.Pointer[tls.Certificate]
}

// NewReloader loads the certificate for the first time.
func NewReloader(certFile, keyFile string) (*Reloader, error) {
	r := &Reloader{certFile: certFile, keyFile: keyFile}
	if err := r.reload(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reloader) reload() error {
	r.loadMu.Lock()
	defer r.loadMu.Unlock()
	st, err := os.Stat(r.certFile)
	if err != nil {
		return err
	}
	if st.ModTime().Equal(r.modTime) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(r.certFile, r.keyFile)
	if err != nil {
		return err
	}
	r.modTime = st.ModTime()
	r.cert.Store(&pair)
	r.version.Add(1)
	return nil
}

// Watch polls the files; a signal on hup forces a look right away.
func (r *Reloader) Watch(ctx context.Context, every time.Duration, hup <-chan os.Signal) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
		case <-t.C:
		}
		if err := r.reload(); err != nil {
			log.Printf("tls: keep the old certificate: %v", err)
		}
	}
}

// Endpoint is a listener whose tls.Config is derived from the certificate.
// Deriving it draws new ticket keys, so the result is kept until the
// certificate changes.
type Endpoint struct {
	name  string
	certs *Reloader
	alpn  []string

	mu      sync.Mutex
	builtAt uint64
	config  *tls.Config
}

func NewEndpoint(name string, certs *Reloader, alpn ...string) *Endpoint {
	return &Endpoint{name: name, certs: certs, alpn: alpn}
}

func (e *Endpoint) derive(c *tls.Certificate) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{*c},
		NextProtos:   e.alpn,
		MinVersion:   tls.VersionTLS12,
	}
}

func (e *Endpoint) configFor(*tls.ClientHelloInfo) (*tls.Config, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := e.certs.version.Load()
	if v != e.builtAt {
		e.config = e.derive(e.certs.cert.Load())
		e.builtAt = v
	}
	return e.config, nil
}

// Serve accepts connections and handles each in its own goroutine.
func (e *Endpoint) Serve(l net.Listener, handle func(net.Conn)) error {
	tl := tls.NewListener(l, &tls.Config{GetConfigForClient: e.configFor})
	for {
		c, err := tl.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			handle(c)
		}()
	}
}

// Run serves all endpoints from one certificate.
func Run(ctx context.Context, r *Reloader, hup <-chan os.Signal, eps map[*Endpoint]net.Listener, handle func(net.Conn)) {
	go r.Watch(ctx, time.Minute, hup)
	var wg sync.WaitGroup
	for e, l := range eps {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := e.Serve(l, handle); err != nil {
				log.Printf("endpoint %s: %v", e.name, err)
			}
		}()
	}
	wg.Wait()
}
