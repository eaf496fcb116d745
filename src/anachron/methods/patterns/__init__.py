"""(k, P)-anonymity of time series: values as envelopes, shapes as words.

Shou, Shang, Chen, Chen, Zhang: *Supporting Pattern-Preserving Anonymization for Time-Series
Data*, TKDE 2013. A *k-group* is a set of series with one published envelope, at least k of them;
a *P-subgroup* is a part of a k-group whose series carry one word at one level, at least P.

``kapra`` and ``naive`` plan who is published with whom. They see arrays of numbers only.
"""
