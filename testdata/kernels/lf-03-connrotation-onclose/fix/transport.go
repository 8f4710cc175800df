package connrotation

import (
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// certStore hands out the current client certificate.
type certStore struct {
	current atomic.Pointer[tls.Certificate]
}

func (s *certStore) Current() *tls.Certificate { return s.current.Load() }

func (s *certStore) Update(cert *tls.Certificate) { s.current.Store(cert) }

// updateTransport instruments a restconfig with a transport that dynamically uses
// certificates provided by the store for TLS client auth. Connections that
// were opened with an earlier certificate are closed when the certificate
// was rotated.
func updateTransport(stopCh <-chan struct{}, period time.Duration, store *certStore) (*http.Transport, func()) {
	d := NewDialer((&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext)

	tlsConfig := &tls.Config{
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			cert := store.Current()
			if cert == nil {
				return &tls.Certificate{Certificate: nil}, nil
			}
			return cert, nil
		},
	}

	go func() {
		lastCert := store.Current()
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-stopCh:
				return
			case <-ticker.C:
			}
			curr := store.Current()
			if curr == nil || lastCert == curr {
				// Cert hasn't been rotated.
				continue
			}
			lastCert = curr

			log.Printf("certificate rotation detected, shutting down client connections to start using new credentials")
			d.CloseAll()
		}
	}()

	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSHandshakeTimeout: 10 * time.Second,
		TLSClientConfig:     tlsConfig,
		MaxIdleConnsPerHost: 25,
		DialContext:         d.DialContext,
	}, d.CloseAll
}
