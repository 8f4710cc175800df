package nomad

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"log"
	"sync"
	"time"
)

// RootKeyMeta is the metadata used to refer to a RootKey. It is stored in raft.
type RootKeyMeta struct {
	KeyID       string
	CreateIndex uint64
	ModifyIndex uint64
}

// RootKey is used to encrypt and decrypt variables. It is never stored in raft.
type RootKey struct {
	Meta *RootKeyMeta
	Key  []byte
}

type keyset struct {
	rootKey *RootKey
	cipher  cipher.AEAD
}

// Encrypter is the keyring for variables.
type Encrypter struct {
	keyring map[string]*keyset
	lock    sync.RWMutex
}

// NewEncrypter creates an empty keyring.
func NewEncrypter() *Encrypter {
	return &Encrypter{keyring: make(map[string]*keyset)}
}

// AddKey stores the key in the keyring.
func (e *Encrypter) AddKey(rootKey *RootKey) error {
	if rootKey == nil || rootKey.Meta == nil {
		return fmt.Errorf("missing metadata")
	}
	block, err := aes.NewCipher(rootKey.Key)
	if err != nil {
		return fmt.Errorf("could not create cipher: %v", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return fmt.Errorf("could not create cipher: %v", err)
	}

	e.lock.Lock()
	defer e.lock.Unlock()
	e.keyring[rootKey.Meta.KeyID] = &keyset{rootKey: rootKey, cipher: aead}
	return nil
}

// GetKey retrieves the key material by ID from the keyring
func (e *Encrypter) GetKey(keyID string) ([]byte, error) {
	e.lock.RLock()
	defer e.lock.RUnlock()

	keyset, err := e.keysetByIDLocked(keyID)
	if err != nil {
		return nil, err
	}
	return keyset.rootKey.Key, nil
}

// keysetByIDLocked returns the cipher for the specified keyID. The caller must
// read-lock the keyring
func (e *Encrypter) keysetByIDLocked(keyID string) (*keyset, error) {
	keyset, ok := e.keyring[keyID]
	if !ok {
		return nil, fmt.Errorf("no such key %q in keyring", keyID)
	}
	return keyset, nil
}

// KeyringReplicator supports the active replication of keys from the leader
// to followers.
type KeyringReplicator struct {
	srv       *Server
	encrypter *Encrypter
	stopFn    context.CancelFunc
}

// NewKeyringReplicator starts the replication.
func NewKeyringReplicator(srv *Server, e *Encrypter) *KeyringReplicator {
	ctx, cancel := context.WithCancel(context.Background())
	repl := &KeyringReplicator{
		srv:       srv,
		encrypter: e,
		stopFn:    cancel,
	}
	go repl.run(ctx)
	return repl
}

// stop is provided for testing
func (krr *KeyringReplicator) stop() {
	krr.stopFn()
}

const keyringReplicationPeriod = 100 * time.Millisecond

func (krr *KeyringReplicator) run(ctx context.Context) {
	limiter := time.NewTicker(keyringReplicationPeriod)
	defer limiter.Stop()
	log.Print("starting encryption key replication")
	defer log.Print("exiting key replication")

START:
	store := krr.srv.fsm.State()

	for {
		select {
		case <-krr.srv.shutdownCtx.Done():
			return
		case <-ctx.Done():
			return
		case <-limiter.C:
			// Rate limit how often we attempt replication
			keyMetas, err := store.RootKeyMetas()
			if err != nil {
				log.Printf("failed to fetch keyring: %v", err)
				goto ERR_WAIT
			}

			for _, keyMeta := range keyMetas {
				if key, err := krr.encrypter.GetKey(keyMeta.KeyID); err == nil && len(key) > 0 {
					// the key material is immutable so if we've already got it
					// we can move on to the next key
					continue
				}

				err := krr.replicateKey(ctx, keyMeta)
				if err != nil {
					// don't break the loop on an error, as we want to make sure
					// we've replicated any keys we can. the rate limiter will
					// prevent this case from sending excessive RPCs
					log.Printf("%v (key %s)", err, keyMeta.KeyID)
				}
			}
		}
	}

ERR_WAIT:
	select {
	case <-time.After(time.Second):
		goto START
	case <-ctx.Done():
		return
	}
}

// replicateKey replicates a single key from peer servers that was present in
// the state store but missing from the keyring. Returns an error only if no
// peers have this key.
func (krr *KeyringReplicator) replicateKey(ctx context.Context, keyMeta *RootKeyMeta) error {
	var key *RootKey
	var err error
	for _, peer := range krr.srv.getAllPeers() {
		key, err = peer.KeyringGet(ctx, keyMeta.KeyID)
		if err == nil && key != nil {
			break
		}
	}
	if key == nil {
		return fmt.Errorf("failed to fetch key from any peer: %v", err)
	}
	if err := krr.encrypter.AddKey(key); err != nil {
		return fmt.Errorf("failed to add key to keyring: %v", err)
	}
	return nil
}
