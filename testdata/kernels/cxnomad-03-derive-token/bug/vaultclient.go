// Package bug derives and renews the vault tokens of tasks.
package bug

import (
	"errors"
	"fmt"
	"sync"
)

// Secret is an answer of vault.
type Secret struct {
	Data          map[string]string
	LeaseDuration int
}

// transport sends one request to vault with the given token.
type transport func(token, method, path string) (*Secret, error)

// apiClient is the client library of vault. It is safe for concurrent use, and
// its token applies to all requests.
type apiClient struct {
	mu    sync.RWMutex
	token string
	do    transport
}

// SetToken changes the token of the following requests.
func (a *apiClient) SetToken(v string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.token = v
}

func (a *apiClient) rawRequest(method, path string) (*Secret, error) {
	a.mu.RLock()
	token := a.token
	a.mu.RUnlock()
	return a.do(token, method, path)
}

// Read reads a secret.
func (a *apiClient) Read(path string) (*Secret, error) { return a.rawRequest("GET", path) }

// Unwrap unwraps a wrapped token; it must be sent without a token.
func (a *apiClient) Unwrap(wrapped string) (string, error) {
	s, err := a.rawRequest("PUT", "sys/wrapping/unwrap/"+wrapped)
	if err != nil {
		return "", err
	}
	return s.Data["token"], nil
}

// RenewSelf renews the token in use.
func (a *apiClient) RenewSelf(increment int) (*Secret, error) {
	return a.rawRequest("PUT", fmt.Sprintf("auth/token/renew-self/%d", increment))
}

// TokenDeriverFunc gets wrapped tokens from the server and unwraps them.
type TokenDeriverFunc func(allocID string, taskNames []string, client *apiClient) (map[string]string, error)

type vaultClient struct {
	tokenDeriver TokenDeriverFunc
	client       *apiClient

	// renewals holds the lease durations of tracked tokens
	renewals map[string]int

	lock sync.RWMutex
}

func newVaultClient(do transport, deriver TokenDeriverFunc) *vaultClient {
	return &vaultClient{
		tokenDeriver: deriver,
		client:       &apiClient{do: do},
		renewals:     make(map[string]int),
	}
}

// DeriveToken derives a token for each task. The returned map contains the
// unwrapped tokens indexed by the task name.
func (c *vaultClient) DeriveToken(allocID string, taskNames []string) (map[string]string, error) {
	if len(taskNames) == 0 {
		return nil, errors.New("missing task names")
	}

	return c.tokenDeriver(allocID, taskNames, c.client)
}

// GetConsulACL reads from vault a consul ACL token used by the task.
func (c *vaultClient) GetConsulACL(token, path string) (*Secret, error) {
	if token == "" {
		return nil, errors.New("missing token")
	}

	c.lock.Lock()
	defer c.lock.Unlock()

	// Use the token supplied to interact with vault
	c.client.SetToken(token)

	// Reset the token before returning
	defer c.client.SetToken("")

	// Read the consul ACL token and return the secret directly
	return c.client.Read(path)
}

// RenewToken renews the supplied token and tracks it.
func (c *vaultClient) RenewToken(token string, increment int) error {
	if token == "" {
		return errors.New("missing token")
	}
	return c.renew(token, increment)
}

func (c *vaultClient) renew(token string, increment int) error {
	c.lock.Lock()
	defer c.lock.Unlock()

	// Set the token in the API client to the one that needs renewal
	c.client.SetToken(token)

	// Renew the token
	resp, err := c.client.RenewSelf(increment)

	// Reset the token in the API client before returning
	c.client.SetToken("")
	if err != nil {
		delete(c.renewals, token)
		return fmt.Errorf("failed to renew the vault token: %v", err)
	}
	c.renewals[token] = resp.LeaseDuration
	return nil
}

// deriveOverRPC is the deriver used in production.
func deriveOverRPC(wrap func(allocID, task string) (string, error)) TokenDeriverFunc {
	return func(allocID string, taskNames []string, client *apiClient) (map[string]string, error) {
		tokens := make(map[string]string, len(taskNames))
		for _, name := range taskNames {
			wrapped, err := wrap(allocID, name)
			if err != nil {
				return nil, err
			}
			if tokens[name], err = client.Unwrap(wrapped); err != nil {
				return nil, err
			}
		}
		return tokens, nil
	}
}
