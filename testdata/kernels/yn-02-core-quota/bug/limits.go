package bug

import "sync"

// Limits keeps account of the cores in use. A tenant never has more cores in
// use than its quota.
type Limits interface {
	Allow(tenant string, cores int) error
	Take(tenant string, cores int)
	Give(tenant string, cores int)
}

type account struct {
	quota int
	used  int
}

// Book is the accounting in memory.
type Book struct {
	mu       sync.Mutex
	fallback int
	accounts map[string]*account
}

func NewBook(fallback int) *Book {
	return &Book{fallback: fallback, accounts: make(map[string]*account)}
}

func (b *Book) accountLocked(tenant string) *account {
	a := b.accounts[tenant]
	if a == nil {
		a = &account{quota: b.fallback}
		b.accounts[tenant] = a
	}
	return a
}

// SetQuota changes the quota of a tenant; what already runs is left alone.
func (b *Book) SetQuota(tenant string, cores int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accountLocked(tenant).quota = cores
}

// Allow tells whether a tenant may use that many cores more.
func (b *Book) Allow(tenant string, cores int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accountLocked(tenant)
	if a.used+cores > a.quota {
		return ErrQuota
	}
	return nil
}

// Take books cores on a tenant.
func (b *Book) Take(tenant string, cores int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accountLocked(tenant).used += cores
}

// Give returns them.
func (b *Book) Give(tenant string, cores int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accountLocked(tenant).used -= cores
}

// Used is the number of cores a tenant has in use.
func (b *Book) Used(tenant string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accountLocked(tenant).used
}
