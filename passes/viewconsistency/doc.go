// Package viewconsistency TODO
//
// # Analyzer viewconsistency
//
// viewconsistency: report fields that are used together in one place and apart in another
package viewconsistency
