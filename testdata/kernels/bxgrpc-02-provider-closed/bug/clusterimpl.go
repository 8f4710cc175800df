package bug

import (
	"sync"
	"sync/atomic"

	"github.com/atomvet/atomvet/testdata/kernels/bxgrpc-02-provider-closed/bug/certprovider"
)

// SecurityConfig comes from the control plane.
type SecurityConfig struct {
	RootName, IdentityName, SNI string
}

type clusterImplBalancer struct {
	store    *certprovider.Store
	xdsHIPtr atomic.Pointer[HandshakeInfo] // shared with the transports

	mu             sync.Mutex
	cachedRoot     certprovider.Provider
	cachedIdentity certprovider.Provider
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
	if b.cachedRoot != nil {
		b.cachedRoot.Close()
	}
	if b.cachedIdentity != nil {
		b.cachedIdentity.Close()
	}
	b.cachedRoot = root
	b.cachedIdentity = identity
	b.xdsHIPtr.Store(NewHandshakeInfo(root, identity, config.SNI))
}
