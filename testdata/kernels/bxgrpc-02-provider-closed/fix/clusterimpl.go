package fix

import (
	"sync"
	"sync/atomic"

	"github.com/atomvet/atomvet/testdata/kernels/bxgrpc-02-provider-closed/fix/certprovider"
)

// SecurityConfig comes from the control plane.
type SecurityConfig struct {
	RootName, IdentityName, SNI string
}

type clusterImplBalancer struct {
	store    *certprovider.Store
	xdsHIPtr atomic.Pointer[HandshakeInfo] // shared with the transports

	mu sync.Mutex // one update at a time
}

func (b *clusterImplBalancer) build(name string) certprovider.Provider {
	if name == "" {
		return nil
	}
	return b.store.Build(name)
}

// handleSecurityConfig handles one update.
func (b *clusterImplBalancer) handleSecurityConfig(config *SecurityConfig) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if config == nil {
		config = &SecurityConfig{}
	}
	root, identity := b.build(config.RootName), b.build(config.IdentityName)
	if old := b.xdsHIPtr.Swap(NewHandshakeInfo(root, identity, config.SNI)); old != nil {
		old.release()
	}
}
